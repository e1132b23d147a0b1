/* SPDX-License-Identifier: MIT */
/* The index that is made for unwind tables without one gives the rules that the linker's index gives. */
#include "compiled.h"

#include "made_index.h"
#include "parts.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

/* Copy the C library to a file that has its unwind tables, and no index of them. Returns the path of the library. */
static const char *hide_index(const char *name)
{
	struct link_map *map = NULL;
	Elf64_Ehdr header;
	Elf64_Phdr segment;

	assert_int_equal(dlinfo(dlopen("libc.so.6", RTLD_NOW), RTLD_DI_LINKMAP, &map), 0);
	shell("cp '%s' %s && chmod u+w %s", map->l_name, name, name);
	FILE *file = fopen(compiled(name), "r+e");
	assert_non_null(file);
	assert_int_equal(fread(&header, sizeof(header), 1, file), 1);
	for (unsigned i = 0; i < header.e_phnum; i++) {
		long at = (long)(header.e_phoff + i * sizeof(segment));
		assert_int_equal(fseek(file, at, SEEK_SET), 0);
		assert_int_equal(fread(&segment, sizeof(segment), 1, file), 1);
		segment.p_type = segment.p_type == PT_GNU_EH_FRAME ? PT_NULL : segment.p_type;
		assert_int_equal(fseek(file, at, SEEK_SET), 0);
		assert_int_equal(fwrite(&segment, sizeof(segment), 1, file), 1);
	}
	assert_int_equal(fclose(file), 0);
	return map->l_name;
}

static void rules_are_those_of_the_linkers_index(void **state)
{
	struct hp_elf whole, hidden;
	struct hp_unwind_region region, made;
	uint64_t header;
	unsigned known = 0;

	(void)state;
	assert_int_equal(hp_elf_open(&whole, hide_index("hidden.so")), 0);
	assert_int_equal(hp_elf_open(&hidden, compiled("hidden.so")), 0);
	assert_false(hp_elf_unwinding(&hidden, UINT64_MAX, &made, &header));
	assert_true(hp_elf_unwinding(&whole, UINT64_MAX, &region, &header));
	assert_true(hp_made_index(&hidden, UINT64_MAX, &made));
	unsigned machine = hp_elf_machine(&whole);
	for (uint64_t address = 0; address < 0x200000; address += 13) {
		uint64_t rule = hp_unwind_find(&region, machine, header, address);
		known += rule != 0;
		if (hp_unwind_find(&made, machine, made.address, address) != rule)
			fail_msg("another rule at %#lx", (unsigned long)address);
	}
	assert_true(known > 1000);
	free((void *)(uintptr_t)made.bytes);
	hp_elf_close(&whole);
	hp_elf_close(&hidden);
}

/* A file with an index needs none, and tables that are too large are not read. */
static void there_may_be_none(void **state)
{
	struct hp_unwind_region made, frames;
	struct hp_elf elf;

	(void)state;
	/* The library itself. */
	assert_int_equal(hp_elf_open(&elf, hide_index("hidden.so")), 0);
	assert_false(hp_made_index(&elf, UINT64_MAX, &made));
	hp_elf_close(&elf);
	assert_int_equal(hp_elf_open(&elf, compiled("hidden.so")), 0);
	assert_true(hp_elf_frames(&elf, UINT64_MAX, &frames));
	assert_false(hp_made_index(&elf, frames.size - 1, &made));
	assert_false(hp_made_index(&elf, frames.size + 100, &made));
	hp_elf_close(&elf);
	/* A part of a file, in which the sections are missing. */
	shell("head -c 4096 hidden.so > part.so");
	assert_int_equal(hp_elf_open(&elf, compiled("part.so")), 0);
	assert_false(hp_made_index(&elf, UINT64_MAX, &made));
	hp_elf_close(&elf);
}

/* Entries that cannot be read are passed over, and the walk ends where a length leads out of the tables. */
static void broken_tables(void **state)
{
	/* A CIE without augmentation, whose register of the return address is that of x86-64. */
	static const unsigned char bytes[] = {
		/* CIE, at 0. */
		12, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0x78, 16, 0, 0, 0,
		/* The end of the tables of one file, at 16. */
		0, 0, 0, 0,
		/* An entry whose CIE is out of bounds, at 20. */
		8, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0, 0, 0,
		/* FDE of the function at 0x4000, of 32 bytes, at 32. */
		20, 0, 0, 0, 36, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0,
		/* An entry that is longer than the rest. */
		40, 0, 0, 0, 40, 0, 0, 0
	};
	const struct hp_unwind_region region = { bytes, sizeof(bytes), 0x1000 };
	uint64_t at = region.address, function, entry;

	(void)state;
	assert_true(hp_unwind_next(&region, EM_X86_64, &at, &function, &entry));
	assert_int_equal(function, 0x4000);
	assert_int_equal(entry, 0x1020);
	assert_int_equal(at, 0x1020 + 24);
	assert_false(hp_unwind_next(&region, EM_X86_64, &at, &function, &entry));
	at = region.address;
	assert_false(hp_unwind_next(&region, EM_NONE, &at, &function, &entry));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_are_those_of_the_linkers_index),
		cmocka_unit_test(there_may_be_none),
		cmocka_unit_test(broken_tables),
	};

	return cmocka_run_group_tests(tests, compiled_make_folder, compiled_remove_folder);
}
