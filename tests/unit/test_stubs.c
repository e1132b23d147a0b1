/* SPDX-License-Identifier: MIT */
/* Stubs in front of functions of other files are named as objdump names them, whatever the linker and its options. */
#include "compiled.h"

#include "parts.h"
#include "stubs.h"

static int make(void **state)
{
	if (compiled_make_folder(state))
		return -1;
	/* What is called and pointed at may have a stub of another kind. */
	compiled_write("program.c", "#include <stdio.h>\n"
				    "#include <stdlib.h>\n"
				    "#include <string.h>\n"
				    "void (*volatile release)(void *) = free;\n"
				    "int main(int c, char **v)\n"
				    "{\n"
				    "	char *room = malloc((size_t)c * 100);\n"
				    "	strcpy(room, v[0]);\n"
				    "	puts(room);\n"
				    "	free(room);\n"
				    "	return release == 0;\n"
				    "}\n");
	return 0;
}

struct wanted {
	uint64_t slot;
	const struct hp_elf *elf;
	const char *name;
};

static void take(void *context, const struct hp_import *import)
{
	struct wanted *wanted = context;

	if (import->slot == wanted->slot && !wanted->name)
		wanted->name = hp_elf_import_name(wanted->elf, import);
}

/* What the stub at an address is in front of; "" when that is not known, NULL when there is none. */
static const char *behind(const struct hp_elf *elf, uint64_t address)
{
	struct wanted wanted = { 0, elf, NULL };
	struct hp_stub stub;

	if (!hp_elf_stub_at(elf, address, &stub))
		return NULL;
	assert_true(stub.start <= address && address < stub.end);
	wanted.slot = stub.slot;
	if (stub.slot)
		hp_elf_each_import(elf, take, &wanted);
	return wanted.name ? wanted.name : "";
}

/* Each line is the address of a stub, and its name. Returns how many there are. */
static unsigned compare_with(const struct hp_elf *elf, const char *lines)
{
	unsigned count = 0;
	char name[64];

	for (unsigned long long at; sscanf(lines, "%llx %63s", &at, name) == 2; count++) {
		for (unsigned inside = 0; inside < 8; inside += 4) {
			const char *found = behind(elf, at + inside);
			if (!found || strcmp(found, name) != 0)
				fail_msg("the stub at %#llx is of '%s', not '%s'", at,
					 found ? found : "none", name);
		}
		lines = strchr(lines, '\n') + 1;
	}
	return count;
}

static void check(const char *compiler, const char *options, unsigned at_least)
{
	struct hp_elf elf;

	if (!compiled_has(compiler))
		return;
	if (strstr(options, "-fuse-ld=lld") && !compiled_has("ld.lld"))
		return;
	if (strstr(options, "-fuse-ld=gold") && !compiled_has("ld.gold"))
		return;
	shell("%s -O1 %s program.c -o program", compiler, options);
	assert_int_equal(hp_elf_open(&elf, compiled("program")), 0);
	unsigned count = compare_with(
		&elf, shell("objdump -d program | sed -n 's/^0*\\([0-9a-f]*\\) <\\([a-z]*\\)"
			    "\\(@.*\\)*@plt>:$/\\1 \\2/p'"));
	if (count < at_least)
		fail_msg("%s %s: %u stubs are not enough to tell", compiler, options, count);
	/* What is no stub. */
	uint64_t main_at = strtoull(shell("nm program | awk '$3 == \"main\" { print $1; exit }'"),
				    NULL, 16);
	assert_null(behind(&elf, main_at));
	hp_elf_close(&elf);
}

static void as_objdump_has_them(void **state)
{
	static const char *const options[] = {
		"",
		"-Wl,-z,lazy",
		"-Wl,-z,now",
		"-no-pie -fno-pie",
		"-fuse-ld=gold",
		"-fuse-ld=lld",
		"-fuse-ld=lld -Wl,-z,now",
#if defined(__x86_64__)
		"-fcf-protection=full -Wl,-z,ibtplt",
		"-fcf-protection=full -Wl,-z,ibtplt -Wl,-z,now",
		"-fcf-protection=full -Wl,-z,ibtplt -Wl,-z,lazy",
#elif defined(__aarch64__)
		"-mbranch-protection=standard -Wl,-z,force-bti -Wl,-z,pac-plt",
#endif
	};

	(void)state;
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		check("gcc", options[i], 4);
		check("clang", options[i], 4);
	}
}

#if defined(__x86_64__)
/* The half of a lazily bound stub that objdump has no name for: it pushes a number. */
static void lazily_bound(void **state)
{
	struct hp_elf elf;

	(void)state;
	shell("cc -O1 -fcf-protection=full -Wl,-z,ibtplt,-z,lazy program.c -o program");
	uint64_t plt = strtoull(shell("readelf -SW program | awk '$2 == \".plt\" { print $4 }"
				      "$3 == \".plt\" { print $5 }'"),
				NULL, 16);
	assert_int_equal(hp_elf_open(&elf, compiled("program")), 0);
	assert_string_equal(behind(&elf, plt), "");
	char all[1024], *names = all;
	snprintf(
		all, sizeof(all), "%s",
		shell("readelf -rW program | awk '/JUMP_SLO/ { sub(/@.*/, \"\", $5); print $5 }'"));
	char name[64];
	for (unsigned i = 1; sscanf(names, "%63s", name) == 1; i++) {
		assert_string_equal(behind(&elf, plt + (uint64_t)i * 16 + 5), name);
		names = strchr(names, '\n') + 1;
	}
	hp_elf_close(&elf);
}
#endif

/* A library that is linked statically finds out at the start which strlen is the best. */
static void chosen_at_the_start(void **state)
{
	struct hp_elf elf;
	char name[64];

	(void)state;
	shell("cc -O1 -static program.c -o program");
	if (strstr(shell("readelf -SW program"), " .plt ") == NULL)
		skip();
	uint64_t plt = 0, size = 0;
	const char *line = shell("readelf -SW program | sed 's/^ *\\[ *[0-9]*\\] *//' |"
				 "awk '$1 == \".plt\" { print \"0x\" $3, \"0x\" $5 }'");
	assert_int_equal(sscanf(line, "%lx %lx", (unsigned long *)&plt, (unsigned long *)&size), 2);
	assert_int_equal(hp_elf_open(&elf, compiled("program")), 0);
	for (uint64_t at = plt; at + 16 <= plt + size; at += 16) {
		const char *found = behind(&elf, at);
		assert_non_null(found);
		if (!*found)
			continue;
		snprintf(name, sizeof(name), "%s", found);
		assert_true(*shell("nm program | awk '$2 == \"i\" && $3 == \"%s\"'", name) != '\0');
	}
	hp_elf_close(&elf);
}

/* ---- of another processor, by hand ---- */

enum { PLT = 0x500, SLOTS = 0x10fe8, ROOM = 2048 };

static unsigned char made[ROOM] __attribute__((aligned(8)));

static void put_section(unsigned nth, uint32_t name, uint32_t type, uint64_t flags,
			uint64_t address, uint64_t offset, uint64_t size, uint32_t link)
{
	Elf64_Shdr section = { .sh_name = name,
			       .sh_type = type,
			       .sh_flags = flags,
			       .sh_addr = address,
			       .sh_offset = offset,
			       .sh_size = size,
			       .sh_link = link };

	memcpy(made + 64 + nth * sizeof(section), &section, sizeof(section));
}

/* As GNU ld writes it: the first stub is for all, and the others jump to what a slot holds. */
static void make_aarch64(struct hp_elf *elf)
{
	static const uint32_t code[] = {
		0xa9bf7bf0,
		0x90000090,
		0xf947f211,
		0x913f8210,
		0xd61f0220,
		0xd503201f,
		0xd503201f,
		0xd503201f,
		0x90000090,
		0xf947f611,
		0x913fa210,
		0xd61f0220,
		/* With bti c. */
		0xd503245f,
		0x90000090,
		0xf947fa11,
		0x913fc210,
		0xd61f0220,
		0xd503201f,
	};
	static const char names[] = "\0.plt\0.rela.plt", strings[] = "\0malloc\0free";
	const Elf64_Rela relocations[] = { { SLOTS, ELF64_R_INFO(1, 1026), 0 },
					   { SLOTS + 8, ELF64_R_INFO(2, 1026), 0 } };
	const Elf64_Sym symbols[] = { { 0 }, { .st_name = 1 }, { .st_name = 8 } };
	Elf64_Ehdr header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					   ELFDATA2LSB },
			      .e_machine = EM_AARCH64,
			      .e_shoff = 64,
			      .e_shentsize = sizeof(Elf64_Shdr),
			      .e_shnum = 6,
			      .e_shstrndx = 1 };

	memcpy(made, &header, sizeof(header));
	put_section(1, 0, SHT_STRTAB, 0, 0, 1024, sizeof(names), 0);
	put_section(2, 1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, PLT, 1088, sizeof(code), 0);
	put_section(3, 6, SHT_RELA, SHF_ALLOC, 0, 1280, sizeof(relocations), 4);
	put_section(4, 0, SHT_DYNSYM, SHF_ALLOC, 0, 1408, sizeof(symbols), 5);
	put_section(5, 0, SHT_STRTAB, SHF_ALLOC, 0, 1600, sizeof(strings), 0);
	memcpy(made + 1024, names, sizeof(names));
	memcpy(made + 1088, code, sizeof(code));
	memcpy(made + 1280, relocations, sizeof(relocations));
	memcpy(made + 1408, symbols, sizeof(symbols));
	memcpy(made + 1600, strings, sizeof(strings));
	assert_int_equal(hp_elf_view(elf, made, sizeof(made)), 0);
}

static void of_another_processor(void **state)
{
	struct hp_elf elf;

	(void)state;
	make_aarch64(&elf);
	assert_string_equal(behind(&elf, PLT + 4), "");
	for (uint64_t at = PLT + 0x20; at < PLT + 0x30; at += 4)
		assert_string_equal(behind(&elf, at), "malloc");
	for (uint64_t at = PLT + 0x30; at < PLT + 0x44; at += 4)
		assert_string_equal(behind(&elf, at), "free");
	assert_null(behind(&elf, PLT + 0x48));
	assert_null(behind(&elf, PLT - 4));
}

/* Every byte in turn is another: whatever is found then, it is inside. */
static void damaged(void **state)
{
	static const unsigned char values[] = { 0x00, 0x7f, 0x80, 0xff };
	struct hp_elf elf;

	(void)state;
	for (size_t i = 64; i < sizeof(made); i++)
		for (size_t v = 0; v < sizeof(values); v++) {
			make_aarch64(&elf);
			made[i] = values[v];
			for (uint64_t at = PLT; at < PLT + 0x48; at += 8) {
				const char *name = behind(&elf, at);
				if (name && *name)
					assert_in_range((const unsigned char *)name - made, 0,
							ROOM - 1);
			}
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_objdump_has_them),
#if defined(__x86_64__)
		cmocka_unit_test(lazily_bound),
#endif
		cmocka_unit_test(chosen_at_the_start),
		cmocka_unit_test(of_another_processor),
		cmocka_unit_test(damaged),
	};

	return cmocka_run_group_tests(tests, make, compiled_remove_folder);
}
