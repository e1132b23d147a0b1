/* SPDX-License-Identifier: MIT */
/* Programs of every make are read as binutils read them, and damaged ones without harm. */
#include "compiled.h"

#include "elf_file.h"
#include "note.h"

#include <elf.h>
#include <errno.h>
#include <sys/stat.h>

#define SOURCE                                                                                     \
	"static int __attribute__((noinline)) hidden(int a) { return a * 3; }\n"                   \
	"int shown(int a) { return hidden(a) + 1; }\n"                                             \
	"int weak(int a) __attribute__((weak, alias(\"shown\")));\n"                               \
	"int equal(int a) __attribute__((alias(\"shown\")));\n"                                    \
	"static int local(int a) __attribute__((alias(\"shown\"), used));\n"                       \
	"static int mine(int a) { return a; }\n"                                                   \
	"static int (*choose(void))(int) { return mine; }\n"                                       \
	"int chosen(int) __attribute__((ifunc(\"choose\")));\n"                                    \
	"int data = 5;\n"                                                                          \
	"extern int puts(const char *);\n"

static int make(void **state)
{
	if (compiled_make_folder(state))
		return -1;
	compiled_write("library.c", SOURCE);
	compiled_write("program.c", SOURCE
		       "int main(int c, char **v) { (void)v; return puts(\"\") * shown(c); }\n");
	shell("cc -O1 -g -Wl,--build-id=0x0123456789abcdef -pie -fPIE program.c -o pie");
	shell("cc -O1 -Wl,--build-id=none -no-pie -fno-pie program.c -o fixed");
	shell("cc -O1 -shared -fPIC library.c -o library.so");
	shell("cc -O1 -static program.c -o static");
	shell("strip -o stripped pie && strip -g -o without_lines pie");
	shell("objcopy --only-keep-debug pie pie.debug");
	shell("cp stripped linked && objcopy --add-gnu-debuglink=pie.debug linked");
	return 0;
}

static void list(void *context, const struct hp_symbol *symbol)
{
	fprintf(context, "%s %016llx %llx\n", symbol->name, (unsigned long long)symbol->address,
		(unsigned long long)symbol->size);
	assert_in_range(symbol->rank, 1, 3);
}

/*
 * The functions or variables we find, and those that nm finds. The linker makes _DYNAMIC and _GLOBAL_OFFSET_TABLE_ of aarch64
 * absolute numbers, in no section: they are no variables.
 */
static void assert_kind_as_nm(const char *name, const char *nm, const char *kind)
{
	struct hp_elf elf;
	FILE *file = fopen(compiled("ours"), "we");

	assert_int_equal(hp_elf_open(&elf, compiled(name)), 0);
	(strcmp(kind, "FUNC") == 0 ? hp_elf_each_function : hp_elf_each_variable)(&elf, list, file);
	fclose(file);
	hp_elf_close(&elf);
	shell("for table in '' -D; do %s $table -f sysv %s 2> messages; done | tr -d ' ' |"
	      "awk -F'|' '$4 == \"%s\" && $7 != \"*UND*\" && $7 != \"*ABS*\" { sub(/@.*/, \"\", $1); sub(/^0+/, \"\", $5);"
	      "print $1, $2, $5 ? $5 : 0 }' | LC_ALL=C sort -u > theirs",
	      nm, name, kind);
	shell("LC_ALL=C sort -u ours | sed 's/@[^ ]*//' | diff - theirs");
}

static void assert_as_nm(const char *name, const char *nm)
{
	assert_kind_as_nm(name, nm, "FUNC");
	assert_kind_as_nm(name, nm, "OBJECT");
}

static void functions_as_nm_has_them(void **state)
{
	static const char *const names[] = { "pie",	 "fixed",	  "library.so", "static",
					     "stripped", "without_lines", "pie.debug" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_as_nm(names[i], "nm");
}

static void another_processor(void **state)
{
	(void)state;
	if (!compiled_has("x86_64-linux-gnu-gcc"))
		skip();
	shell("x86_64-linux-gnu-gcc -O1 -g program.c -o x86");
	shell("x86_64-linux-gnu-gcc -O1 -shared -fPIC -s library.c -o x86.so");
	assert_as_nm("x86", "x86_64-linux-gnu-nm");
	assert_as_nm("x86.so", "x86_64-linux-gnu-nm");
	struct hp_elf elf;
	assert_int_equal(hp_elf_open(&elf, compiled("x86")), 0);
	assert_string_equal(hp_elf_interpreter(&elf), "/lib64/ld-linux-x86-64.so.2");
	hp_elf_close(&elf);
}

static uint64_t address_of(const char *file, const char *name)
{
	return strtoull(shell("nm %s | awk '$3 == \"%s\" { print $1 }'", file, name), NULL, 16);
}

/* Of two that all may use, the one that is first in the table. */
static const char *first_name(const char *file)
{
	static char name[16];

	snprintf(
		name, sizeof(name), "%s",
		shell("nm -p %s | awk '$3 == \"shown\" || $3 == \"equal\" { printf \"%%s\", $3; exit }'",
		      file));
	return name;
}

/* Of the names that a function has, the one that all may use. */
static void the_best_name(void **state)
{
	static const char *const files[] = { "pie", "fixed", "static" };
	struct hp_symbol symbol;
	struct hp_elf elf;

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		uint64_t shown = address_of(files[i], "shown");
		assert_int_equal(hp_elf_open(&elf, compiled(files[i])), 0);
		assert_true(hp_elf_function_at(&elf, shown, &symbol));
		assert_string_equal(symbol.name, first_name(files[i]));
		assert_true(symbol.address == shown && symbol.size > 0);
		assert_true(hp_elf_function_at(&elf, address_of(files[i], "hidden"), &symbol));
		assert_string_equal(symbol.name, "hidden");
		assert_false(hp_elf_function_at(&elf, shown + 1, &symbol));
		assert_false(hp_elf_function_at(&elf, address_of(files[i], "data"), &symbol));
		hp_elf_close(&elf);
	}
}

/* Stripped or not: by the tables for unwinding. */
static void where_functions_begin(void **state)
{
	static const char *const files[] = { "pie", "stripped", "fixed", "library.so" };

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		const char *named = strcmp(files[i], "stripped") == 0 ? "pie" : files[i];
		uint64_t shown = address_of(named, "shown"), hidden = address_of(named, "hidden");
		uint64_t start = 0;
		struct hp_elf elf;

		assert_int_equal(hp_elf_open(&elf, compiled(files[i])), 0);
		assert_true(hp_elf_function_start(&elf, shown, &start) && start == shown);
		assert_true(hp_elf_function_start(&elf, shown + 5, &start) && start == shown);
		assert_true(hp_elf_function_start(&elf, hidden + 1, &start) && start == hidden);
		assert_false(hp_elf_function_start(&elf, 1, &start));
		/* Behind all of them is none. */
		assert_false(hp_elf_function_start(&elf, shown + 0x1000000, &start));
		hp_elf_close(&elf);
	}
}

#if defined(__x86_64__)
/* By the tables for unwinding and, where these say nothing, by the code. */
static void where_callers_are_seen(void **state)
{
	static const struct {
		const char *function;
		uint64_t into;
		enum hp_elf_caller expected;
	} places[] = {
		{ "framed", 0, HP_ELF_CALLER_LINK },   { "framed", 1, HP_ELF_CALLER_LINK },
		{ "framed", 2, HP_ELF_CALLER_HIDDEN }, { "framed", 5, HP_ELF_CALLER_FRAME },
		{ "framed", 7, HP_ELF_CALLER_LINK },   { "framed", 8, HP_ELF_CALLER_FRAME },
		{ "framed", 10, HP_ELF_CALLER_LINK },  { "saving", 0, HP_ELF_CALLER_LINK },
		{ "saving", 1, HP_ELF_CALLER_HIDDEN }, { "saving", 299, HP_ELF_CALLER_HIDDEN },
		{ "saving", 302, HP_ELF_CALLER_LINK }, { "untold", 0, HP_ELF_CALLER_HIDDEN },
		{ "untold", 4, HP_ELF_CALLER_FRAME },
	};
	struct hp_elf elf;

	(void)state;
	compiled_write("places.s",
		       ".text\n"
		       ".globl framed, saving, untold\n"
		       "framed: .cfi_startproc; nop; push %rbp; .cfi_def_cfa_offset 16;"
		       " .cfi_offset 6, -16; mov %rsp, %rbp; .cfi_def_cfa_register 6; nop;"
		       " .cfi_remember_state; pop %rbp; .cfi_def_cfa 7, 8; ret; .cfi_restore_state;"
		       " nop; pop %rbp; .cfi_def_cfa 7, 8; ret; .cfi_endproc\n"
		       "saving: .cfi_startproc; push %rbx; .cfi_def_cfa_offset 16;"
		       " .cfi_offset 3, -16; .fill 300, 1, 0x90; pop %rbx; .cfi_def_cfa_offset 8;"
		       " ret; .cfi_endproc\n"
		       "untold: push %rbp; mov %rsp, %rbp; nop; pop %rbp; ret\n"
		       ".section .note.GNU-stack\n");
	shell("cc -shared places.s -o places.so");
	assert_int_equal(hp_elf_open(&elf, compiled("places.so")), 0);
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		uint64_t start = address_of("places.so", places[i].function);
		enum hp_elf_caller found = hp_elf_caller(&elf, start, start + places[i].into);
		if (found != places[i].expected)
			fail_msg("%s + %d: %d", places[i].function, (int)places[i].into, found);
	}
	hp_elf_close(&elf);
}
#endif

static void what_a_file_says(void **state)
{
	static const unsigned char wanted[] = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef };
	static const char *const with_id[] = { "pie", "stripped", "pie.debug", "linked" };
	const unsigned char *id;
	struct hp_elf elf;
	uint32_t crc = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(with_id) / sizeof(*with_id); i++) {
		assert_int_equal(hp_elf_open(&elf, compiled(with_id[i])), 0);
		assert_int_equal(hp_elf_build_id(&elf, &id), sizeof(wanted));
		assert_memory_equal(id, wanted, sizeof(wanted));
		assert_int_equal(hp_elf_has_symtab(&elf), i % 2 == 0);
		assert_true(!hp_elf_debug_link(&elf, &crc) == (i != 3));
		hp_elf_close(&elf);
	}
	assert_int_equal(hp_elf_open(&elf, compiled("linked")), 0);
	assert_string_equal(hp_elf_debug_link(&elf, &crc), "pie.debug");
	assert_true(crc != 0);
	hp_elf_close(&elf);
	assert_int_equal(hp_elf_open(&elf, compiled("fixed")), 0);
	assert_int_equal(hp_elf_build_id(&elf, &id), 0);
	hp_elf_close(&elf);
}

/* What hotpath leaves in a program it finds again, also when it is static and has no symbols. */
static void notes_of_ours(void **state)
{
	static const char *const with_note[] = { "noted", "noted_static" };
	struct hp_elf elf;
	size_t length = 0;

	(void)state;
	compiled_write("note.s", "\t.section .note.hotpath,\"a\",%note\n\t.balign 4\n"
				 "\t.4byte 8, 6, 2\n\t.asciz \"hotpath\"\n\t.asciz \"alloc\"\n"
				 "\t.balign 4\n\t.section .note.GNU-stack,\"\",%progbits\n");
	shell("cc -s program.c note.s -o noted && cc -s -static program.c note.s -o noted_static");
	for (size_t i = 0; i < sizeof(with_note) / sizeof(*with_note); i++) {
		assert_int_equal(hp_elf_open(&elf, compiled(with_note[i])), 0);
		const char *text = hp_elf_note(&elf, HP_NOTE_OWNER, HP_NOTE_ALLOC, &length);
		assert_non_null(text);
		assert_string_equal(text, "alloc");
		assert_int_equal(length, 6);
		assert_null(hp_elf_note(&elf, HP_NOTE_OWNER, HP_NOTE_SELECTION, &length));
		hp_elf_close(&elf);
	}
	assert_int_equal(hp_elf_open(&elf, compiled("static")), 0);
	assert_null(hp_elf_note(&elf, HP_NOTE_OWNER, HP_NOTE_ALLOC, &length));
	hp_elf_close(&elf);
}

static void what_others_may_call(void **state)
{
	struct hp_elf elf;

	(void)state;
	assert_int_equal(hp_elf_open(&elf, compiled("library.so")), 0);
	assert_true(hp_elf_exports(&elf, "shown"));
	assert_false(hp_elf_exports(&elf, "hidden"));
	assert_false(hp_elf_exports(&elf, "data"));
	hp_elf_close(&elf);
	/* Called by it, and its own but for nobody else. */
	assert_int_equal(hp_elf_open(&elf, compiled("pie")), 0);
	assert_false(hp_elf_exports(&elf, "puts"));
	assert_false(hp_elf_exports(&elf, "shown"));
	hp_elf_close(&elf);
}

static void what_a_file_needs(void **state)
{
	struct hp_elf elf;

	(void)state;
	assert_int_equal(hp_elf_open(&elf, compiled("stripped")), 0);
	assert_true(hp_elf_needs(&elf, "libc.so"));
	assert_true(hp_elf_needs(&elf, "libc"));
	assert_false(hp_elf_needs(&elf, "libhotpath"));
	assert_non_null(strstr(hp_elf_interpreter(&elf), "ld"));
	hp_elf_close(&elf);
	assert_int_equal(hp_elf_open(&elf, compiled("static")), 0);
	assert_false(hp_elf_needs(&elf, ""));
	assert_null(hp_elf_interpreter(&elf));
	hp_elf_close(&elf);
	assert_int_equal(hp_elf_open(&elf, compiled("library.so")), 0);
	assert_null(hp_elf_interpreter(&elf));
	hp_elf_close(&elf);
	hp_elf_close(&elf);
}

static void what_is_no_such_file(void **state)
{
	struct hp_elf elf;

	(void)state;
	shell("mkfifo pipe && : > empty && head -c 63 pie > short && echo text > text && mkdir -p folder");
	assert_int_equal(hp_elf_open(&elf, compiled("nothing")), -ENOENT);
	static const char *const others[] = { "pipe", "empty",	"short",
					      "text", "folder", "library.c" };
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_int_equal(hp_elf_open(&elf, compiled(others[i])), -ENOEXEC);
	assert_int_equal(hp_elf_open(&elf, "/dev/null"), -ENOEXEC);
	assert_int_equal(hp_elf_open(&elf, "/proc/self/maps"), -ENOEXEC);
	hp_elf_close(&elf);
}

static void count(void *context, const struct hp_symbol *symbol)
{
	*(size_t *)context += strlen(symbol->name);
}

static void use(const void *bytes, size_t size)
{
	struct hp_elf elf;
	const unsigned char *id;
	uint32_t crc;
	size_t letters = 0;
	uint64_t start;

	if (hp_elf_view(&elf, bytes, size))
		return;
	hp_elf_build_id(&elf, &id);
	hp_elf_debug_link(&elf, &crc);
	hp_elf_interpreter(&elf);
	hp_elf_needs(&elf, "libc");
	hp_elf_exports(&elf, "shown");
	hp_elf_note(&elf, HP_NOTE_OWNER, HP_NOTE_ALLOC, &letters);
	hp_elf_each_function(&elf, count, &letters);
	hp_elf_function_start(&elf, 0x800, &start);
	/* Where the program begins, the tables for unwinding have something. */
	uint64_t entry = size < sizeof(Elf64_Ehdr) ? 0 : ((const Elf64_Ehdr *)bytes)->e_entry;
	hp_elf_caller(&elf, entry, entry + 4);
}

/* Cut anywhere, and with wild numbers in its headers: a sanitizer sees what is read beyond it. */
static void damaged(void **state)
{
	struct hp_elf elf;

	(void)state;
	assert_int_equal(hp_elf_open(&elf, compiled("linked")), 0);
	for (size_t size = 0; size <= elf.size; size += size < 2048 ? 1 : 61) {
		void *cut = malloc(size ? size : 1);
		memcpy(cut, hp_elf_whole(&elf), size);
		use(cut, size);
		free(cut);
	}
	unsigned char *copy = malloc(elf.size);
	for (size_t at = 0; at < sizeof(Elf64_Ehdr); at++) {
		static const unsigned char wild[] = { 0, 1, 0x7f, 0x80, 0xff };
		for (size_t i = 0; i < sizeof(wild); i++) {
			memcpy(copy, hp_elf_whole(&elf), elf.size);
			copy[at] = wild[i];
			use(copy, elf.size);
		}
	}
	free(copy);
	hp_elf_close(&elf);
}

/* The same in the tables for unwinding. */
static void damaged_tables(void **state)
{
	size_t at = strtoull(shell("readelf -SW linked | awk '/ .eh_frame_hdr / { print $5 }'"),
			     NULL, 16);
	struct hp_elf elf;

	(void)state;
	assert_int_equal(hp_elf_open(&elf, compiled("linked")), 0);
	unsigned char *copy = malloc(elf.size);
	memcpy(copy, hp_elf_whole(&elf), elf.size);
	for (size_t end = at + 512; at && at < end && at < elf.size; at++)
		for (unsigned bit = 0; bit < 8; bit++) {
			copy[at] = elf.bytes[at] ^ (unsigned char)(1U << bit);
			use(copy, elf.size);
			copy[at] = elf.bytes[at];
		}
	free(copy);
	hp_elf_close(&elf);
}

/* A copy of a program, open, in which a function was found. */
static void open_copy(struct hp_elf *elf, struct hp_symbol *shown)
{
	shell("cp static copy");
	assert_int_equal(hp_elf_open(elf, compiled("copy")), 0);
	uint64_t address = strtoull(shell("nm copy | awk '$3 == \"main\" { print $1 }'"), NULL, 16);
	assert_true(hp_elf_function_at(elf, address, shown));
	assert_string_equal(shown->name, "main");
}

static void cut_short_or_written_over(void **state)
{
	struct hp_symbol shown;
	struct hp_elf elf;

	(void)state;
	open_copy(&elf, &shown);
	shell(": > copy");
	assert_string_equal(shown.name, "main");
	use(hp_elf_whole(&elf), elf.size);
	hp_elf_close(&elf);

	open_copy(&elf, &shown);
	shell("tr '\\000-\\377' '\\377' < static > other; cat other > copy");
	assert_string_equal(shown.name, "main");
	hp_elf_close(&elf);

	/* Of symbols that were kept, no file is needed. */
	open_copy(&elf, &shown);
	hp_elf_keep_symbols(&elf);
	shell(": > copy");
	assert_true(hp_elf_function_at(&elf, shown.address, &shown));
	assert_string_equal(shown.name, "main");
	hp_elf_close(&elf);
}

static void notes(void **state)
{
	static const struct {
		Elf64_Nhdr first;
		char owner[8];
		char text[8];
		Elf64_Nhdr second;
		char gnu[4];
		unsigned char id[3];
	} __attribute__((packed))
	made = { { 5, 6, 9 }, "Some", "bytes", { 4, 3, NT_GNU_BUILD_ID }, "GNU", { 1, 2, 3 } };
	size_t length = 0;

	(void)state;
	assert_memory_equal(hp_note_build_id(&made, sizeof(made), &length), made.id, 3);
	assert_int_equal(length, 3);
	assert_string_equal(hp_note_find(&made, sizeof(made), "Some", 9, &length), "bytes");
	assert_int_equal(length, 6);
	assert_null(hp_note_find(&made, sizeof(made), "Some", 8, &length));
	assert_null(hp_note_find(&made, sizeof(made), "Some other", 9, &length));
	assert_null(hp_note_build_id(NULL, 0, &length));
	for (size_t size = 0; size < sizeof(made); size++)
		assert_null(hp_note_build_id(&made, size, &length));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_as_nm_has_them),
		cmocka_unit_test(another_processor),
		cmocka_unit_test(the_best_name),
		cmocka_unit_test(where_functions_begin),
#if defined(__x86_64__)
		cmocka_unit_test(where_callers_are_seen),
#endif
		cmocka_unit_test(what_a_file_says),
		cmocka_unit_test(notes_of_ours),
		cmocka_unit_test(what_others_may_call),
		cmocka_unit_test(what_a_file_needs),
		cmocka_unit_test(what_is_no_such_file),
		cmocka_unit_test(damaged),
		cmocka_unit_test(damaged_tables),
		cmocka_unit_test(cut_short_or_written_over),
		cmocka_unit_test(notes),
	};

	return cmocka_run_group_tests(tests, make, compiled_remove_folder);
}
