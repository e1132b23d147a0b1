/* SPDX-License-Identifier: MIT */
/* Which functions get sleds, and where: what compilers write, and a short form of what is made of it. */
#include "module.h"
#include "origin.h"
#include "sleds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/*
 * The sleds as a text: each label but those of the compiler, then + for an entry, - for an exit, and ~ for an exit in
 * another section than the entry.
 */
struct expectation {
	const char *assembly;
	const char *sleds;
};

#define FUNCTION(name) "\t.type\t" name ", @function\n" name ":\n"
#define COMMENTED(name) "\t.type\t" name ",@function\n" name ": // @" name "\n"

static bool has_all(const void *context, struct piece name)
{
	(void)context;
	(void)name;
	return true;
}

static const struct sled_choice all = { has_all, NULL };

static void describe_line(struct hp_text *text, const char *line, size_t length)
{
	struct piece whole = { line, length };
	const char *last = memrchr(line, ';', length);
	const char *label = last ? last + 1 : line;
	const char *comment = memmem(line, length, " // @", 5);

	if (comment)
		length = (size_t)(comment - line);
	if (length && line[length - 1] == ':' && label[0] != '.' && label[0] != ' ')
		hp_text_printf(text, "%s%.*s", text->length ? " " : "",
			       (int)(line + length - label), label);
	if (hp_piece_has(whole, HP_ENTRIES ",\"a?\",%progbits,unique,"))
		hp_text_putc(text, '+');
	if (hp_piece_has(whole, HP_EXITS ",\"a?\",%progbits,unique,"))
		hp_text_putc(text, hp_piece_has(whole, " .long 1,.Lhotpath") ? '~' : '-');
}

/* What is written once for a whole program comes last. */
static void describe(struct hp_text *text, const char *assembly)
{
	const char *end = strstr(assembly, "\t.section .text.hotpath_module");

	hp_text_puts(text, "");
	while (*assembly && assembly != end) {
		size_t length = strcspn(assembly, "\n");
		describe_line(text, assembly, length);
		assembly += length + (assembly[length] == '\n');
	}
}

static void write_sleds(struct hp_text *text, const char *assembly, const struct machine *machine,
			struct sled_choice choice)
{
	hp_sleds_write(text, (struct piece){ assembly, strlen(assembly) }, machine, choice);
	assert_false(text->failed);
}

static void check(const struct expectation *expected, const struct machine *machine)
{
	struct hp_text written = HP_TEXT_INIT, sleds = HP_TEXT_INIT;

	write_sleds(&written, expected->assembly, machine, all);
	describe(&sleds, written.bytes);
	if (strcmp(sleds.bytes, expected->sleds) != 0)
		fail_msg("'%s', not '%s':\n%s", sleds.bytes, expected->sleds, expected->assembly);
	hp_text_free(&written);
	hp_text_free(&sleds);
}

#define CHECK_ALL(table, machine)                                                                  \
	for (size_t i = 0; i < sizeof(table) / sizeof(*(table)); i++)                              \
	check(&(table)[i], machine)

static void returns(void **state)
{
	static const struct expectation table[] = {
		{ FUNCTION("f") "\tret\n", "f:+-" },
		{ FUNCTION("f") "\tretq\n", "f:+-" },
		{ FUNCTION("f") "\trep ret\n", "f:+-" },
		{ FUNCTION("f") "\tjne\t.L2\n\tret\n.L2:\n\tcall\tg\n\tret\n", "f:+--" },
		{ FUNCTION("f") "\tret\n" FUNCTION("g") "\tret\n\tret\n", "f:+- g:+--" },
		{ FUNCTION("f") ".LFB0:\n\t.cfi_startproc\n\tendbr64\n\tret\n", "f:+-" },
		{ FUNCTION("f") "\tret\t$8\n", "f:" },
		{ FUNCTION("f") "\tret\t# text\n", "f:+-" },
		{ "\t.text\nf:\n\tret\n", "f:" },
		{ "\t.type\tf, @object\nf:\n\tret\n", "f:" },
		{ "\t.type\tf, @gnu_indirect_function\nf:\n\tret\n", "f:" },
		{ FUNCTION("f") "\tret\n\t.data\ntable:\n\t.string\t\"ret # \\\"\\n\"\n",
		  "f:+- table:" },
	};

	(void)state;
	CHECK_ALL(table, &hp_machine_x86_64);
}

static void never_left(void **state)
{
	static const struct expectation table[] = {
		{ FUNCTION("f") "\tcall\tabort\n", "f:" },
		{ FUNCTION("f") ".L2:\n\tjmp\t.L2\n" FUNCTION("g") "\tret\n", "f: g:+-" },
		{ FUNCTION("main") "\tcall\texit\n", "main:+" },
		{ FUNCTION("main") "#APP\n\tcall\texit\n#NO_APP\n", "main:" },
	};

	(void)state;
	CHECK_ALL(table, &hp_machine_x86_64);
}

/* Inline assembly is not ours. */
static void inline_assembly(void **state)
{
	static const struct expectation table[] = {
		{ FUNCTION("f") "#APP\n\tret\n#NO_APP\n", "f:" },
		{ FUNCTION("f") "#APP\n# 1 \"a.c\" 1\n\tret\n# 0 \"\" 2\n#NO_APP\n\tud2\n", "f:" },
		{ FUNCTION("f") "\t#APP\n\tret\n\t#NO_APP\n\tretq\n", "f:+-" },
		{ FUNCTION("f") "\tnop\n#APP\n\tcall 1f; jmp 2f; 1: ret; 2:\n#NO_APP\n\tret\n",
		  "f:+-" },
		{ FUNCTION("f") "\tret\n#APP\n" FUNCTION("g") "\tret\n#NO_APP\n", "f:+- g:" },
		{ "# Start of file scope inline assembly\n" FUNCTION(
			  "g") "\tret\n\n# End of file scope inline assembly\n" FUNCTION("f") "\tretq\n",
		  "g: f:+-" },
	};

	(void)state;
	CHECK_ALL(table, &hp_machine_x86_64);
}

static void tail_calls(void **state)
{
	static const struct expectation table[] = {
		{ FUNCTION("f") "\tjmp\tg\t# 8\t[c=10 l=5]  *sibcall_value\n", "f:+-" },
		{ FUNCTION("f") "\tjmp\tg@PLT   # TAILCALL\n", "f:+-" },
		{ FUNCTION("f") "\tjmp\t*%rax\t# 8\t[c=10 l=2]  *sibcall\n", "f:+-" },
		{ FUNCTION("f") "\tjmpq\t*g@GOTPCREL(%rip)  # TAILCALL\n", "f:+-" },
		{ FUNCTION("f") "\tjne\tg   # TAILCALL\n\tretq\n", "f:+--" },
		{ FUNCTION("f") "\tjne\tg\n\tretq\n", "f:+-" },
		{ FUNCTION("f") "\tjmp\tg\n\tret\n", "f:+-" },
		{ FUNCTION("f") "\tjmp\tf.__part.1\n\tret\n", "f:+-" },
		{ FUNCTION("f") "\tjmp\t__x86_indirect_thunk_rax\n\tret\n", "f:+-" },
		{ FUNCTION("f") "\tjmp\t__x86_return_thunk\n", "f:+-" },
		{ FUNCTION("f") "\tbnd jmp\t__x86_return_thunk_bnd\n", "f:+-" },
		{ FUNCTION("f") "\tcall\t__x86_return_thunk\n", "f:" },
		{ FUNCTION("f") "\tjmp\t*8(%rsp)\t# *sibcall\n\tret\n", "f:+-" },
		{ FUNCTION("f") "\tjmp\t*%rax\n\tret\n", "f:+-" },
		{ FUNCTION("f") "\tnotrack jmp\t*%rax\n\tret\n", "f:+-" },
		{ FUNCTION("f") "\tjmp\t*%rax\t# sibcall_count\n\tret\n", "f:+-" },
		{ FUNCTION("f") "\tjmp\t*.L4(,%rax,8)\n.L3:\n\tret\n", "f:+-" },
	};

	(void)state;
	CHECK_ALL(table, &hp_machine_x86_64);
}

static void syntax_of_intel(void **state)
{
	static const struct expectation table[] = {
		{ FUNCTION("f") "\tjmp\trax\n\tret\n", "f:+-" },
		{ FUNCTION("f") "\tjmp\trax\t# 8\t[c=10 l=2]  *sibcall\n", "f:+-" },
		{ FUNCTION("f") "\tjmp\t[QWORD PTR [rax]]\n\tret\n", "f:+-" },
		{ FUNCTION("f") "\tjmp\t[QWORD PTR [rsp+8]] # *sibcall\n\tret\n", "f:+-" },
		{ FUNCTION("f") "\tjmp\tg\t# 8\t[c=10 l=5]  *sibcall\n", "f:+-" },
	};

	(void)state;
	CHECK_ALL(table, &hp_machine_x86_64);
}

/* Parts that are elsewhere name the entry. */
static void moved_parts(void **state)
{
	static const struct expectation table[] = {
		{ FUNCTION("f") "\tjne\tf.cold\n\tret\n" FUNCTION("f.cold") "\tret\n",
		  "f:+- f.cold:~" },
		{ FUNCTION("f") "\tjmp\tf.cold\n" FUNCTION("f.cold") "\tret\n", "f:+ f.cold:~" },
		{ FUNCTION("f.cold") "\tret\n", "f.cold:" },
		{ FUNCTION("f.coldly") "\tret\n", "f.coldly:+-" },
		{ FUNCTION("f") "\tcall\tabort\n" FUNCTION("f.cold") "\tcall\tabort\n",
		  "f: f.cold:" },
		{ "\t.text\n" FUNCTION(
			  "f") "\tret\n\t.section .text.split.f,\"ax\"\nf.part:\n\tret\n",
		  "f:+- f.part:~" },
		{ "\t.text\n" FUNCTION(
			  "f") "\tjmp\t*%rax\n\t.section .rodata\n.L4:\n\t.text\n\tret\n",
		  "f:+-" },
	};

	(void)state;
	CHECK_ALL(table, &hp_machine_x86_64);
}

/* What a compiler has made up, and what is not to be measured. */
static void not_wanted(void **state)
{
	static const struct expectation table[] = {
		{ FUNCTION("__x86_return_thunk") "\tret\n", "__x86_return_thunk:" },
		{ FUNCTION("__llvm_retpoline_r11") "\tretq\n", "__llvm_retpoline_r11:" },
		{ FUNCTION("_ZThn8_N1A1fEv") "\tret\n", "_ZThn8_N1A1fEv:" },
		{ FUNCTION("OUTLINED_FUNCTION_0") "\tret\n", "OUTLINED_FUNCTION_0:" },
		{ ".LPFE1:\n\tnop\n" FUNCTION("f") "\tret\n", "f:" },
		{ "\t.type\tf,@function\n.Ltmp0:\n\tnop\nf:\n\tendbr64\n\tretq\n", "f:" },
		{ ".LPFE1:\n\tnop\n" FUNCTION("f") "\tnop\n\tret\n", "f:+-" },
		{ ".Ltmp0:\n\tnop\n" FUNCTION("f") "\tendbr64\n\txchgw\t%ax, %ax\n\tretq\n",
		  "f:+-" },
		{ ".LPFE1:\n\tnop\n\tnop\n" FUNCTION("f") "\tret\n", "f:+-" },
		{ FUNCTION("g") "\tcall\tabort\n.L3:\n\tnop\n\t.size\tg, .-g\n" FUNCTION(
			  "f") "\tret\n",
		  "g: f:+-" },
		{ FUNCTION("g") "\tret\n.LFE0:\n.LPFE1:\n\tnop\n" FUNCTION("f") "\tret\n" FUNCTION(
			  "f.cold") "\tret\n",
		  "g:+- f: f.cold:" },
	};

	(void)state;
	CHECK_ALL(table, &hp_machine_x86_64);
}

static void other_machine(void **state)
{
	static const struct expectation table[] = {
		{ FUNCTION("f") "\tret\n", "f:+-" },
		{ "\t.type\tf, %function\nf:\n\tret\n", "f:+-" },
		{ FUNCTION("f") "\tb\tg\n", "f:+-" },
		{ FUNCTION("f") "\tb\t.L2\n.L2:\n\tret\n", "f:+-" },
		{ FUNCTION("f") "\tb\tOUTLINED_FUNCTION_0\n.L2:\n\tret\n", "f:+-" },
		{ FUNCTION("f") "\tbr\tx16\t// 11\t[c=4 l=4]  *sibcall_insn/0\n", "f:+-" },
		{ FUNCTION("f") "\tbr\tx0\t// 8\t[c=4 l=4]  indirect_jump\n\tret\n", "f:+-" },
		{ FUNCTION("f") "\tret\tx5\n", "f:+-" },
		{ FUNCTION("f") "//APP\n\tret\n//NO_APP\n", "f:" },
		{ FUNCTION("f") "\thint\t25 // paciasp\n\tretaa\n", "f:+-" },
	};

	(void)state;
	CHECK_ALL(table, &hp_machine_aarch64);
}

/* clang marks no tail call of aarch64: an indirect jump is one if it is neither by a table nor to a label of the function. */
static void unmarked_tail_calls(void **state)
{
	static const struct expectation table[] = {
		{ COMMENTED("f") "\tldr\tx1, [x8]\n\tbr\tx1\n", "f:+-" },
		{ COMMENTED("f") "\tldp\tx29, x30, [sp], #16 // 16-byte Folded Reload\n\tbr\tx9\n",
		  "f:+-" },
		{ FUNCTION("f") "\tbr\tx1\n\tret\n", "f:+-" },
		{ COMMENTED(
			  "f") ".Ltmp0:\n\tadr\tx8, .Ltmp0\n\tldrsw\tx9, [x25, x24, lsl #2]\n"
			       "\tadd\tx8, x8, x9\n\tbr\tx8\n.LBB0_1:\n\tbr\tx8\n.LBB0_2:\n\tret\n",
		  "f:+--" },
		{ COMMENTED("f") "\tadr\tx10, .LBB0_2\n\tldrb\tw11, [x9, x8]\n"
				 "\tadd\tx10, x10, x11, lsl #2\n\tbr\tx10\n.LBB0_2:\n\tret\n",
		  "f:+-" },
		{ COMMENTED("f") "\tadr\tx0, .L.str\n\tbr\tx1\n", "f:+-" },
		{ COMMENTED("f") "\tbr\tx8\n.Ltmp0:                  // Block address taken\n"
				 ".LBB0_1:\n\tret\n" COMMENTED("g") "\tbr\tx1\n",
		  "f:+- g:+-" },
		{ COMMENTED("g") "\tbr\tx1\n" COMMENTED(
			  "f") "\tbr\tx8\n// Block address taken\n.LBB0_1:\n\tret\n",
		  "g:+- f:+-" },
		{ COMMENTED("f") "\t//APP\n\tbr\tx1\n\t//NO_APP\n\tret\n", "f:+-" },
	};

	(void)state;
	CHECK_ALL(table, &hp_machine_aarch64);
}

/* Bytes are too small for distances with sleds in them. */
static void wider_tables(void **state)
{
	static const char assembly[] = FUNCTION(
		"f") "\tldrb\tw1, [x1,w0,uxtw]\t// 33\t[c=16 l=16]  *casesi_dispatch\n\tadr\tx2, .Lrtx4\n"
		     "\tadd\tx1, x2, w1, sxtb #2\n\tbr\tx1\n.Lrtx4:\n\t.section\t.rodata\n.L4:\n"
		     "\t.byte\t(.L9 - .Lrtx4) / 4\n\t.byte\t7\n\t.text\n.L9:\n"
		     "\tldrb\tw1, [x1,w0,uxtw]\n\tadd\tx1, x2, w1, sxtb #2\n";
	static const char wide[] = FUNCTION(
		"f") "\tldrh\tw1, [x1,w0,uxtw #1]\n\tadr\tx2, .Lrtx4\n"
		     "\tadd\tx1, x2, w1, sxth #2\n\tbr\tx1\n.Lrtx4:\n\t.section\t.rodata\n.L4:\n"
		     "\t.2byte\t(.L9 - .Lrtx4) / 4\n\t.byte\t7\n\t.text\n.L9:\n"
		     "\tldrb\tw1, [x1,w0,uxtw]\n\tadd\tx1, x2, w1, sxtb #2\n";
	struct hp_text written = HP_TEXT_INIT;

	(void)state;
	write_sleds(&written, assembly, &hp_machine_aarch64, all);
	assert_string_equal(written.bytes, wide);
	hp_text_free(&written);
}

static void works_of_compilers(void **state)
{
	static const struct {
		const char *assembly;
		bool is_compiled;
	} table[] = {
		{ "\t.file\t\"a.c\"\n\tret\n\t.ident\t\"GCC: (Debian) 12.2.0\"\n", true },
		{ "\t.ident\t\"Debian clang version 14.0.6\"\n", true },
		{ "\t.globl\tf          # -- Begin function f\n", true },
		{ "\t.globl\tf          // -- Begin function f\n", true },
		{ "\tret\t# 18\t[c=0 l=1]  simple_return_internal\n", true },
		{ "\t.file\t\"a.s\"\n\t.text\nf:\n\tret\n", false },
		{ "# GCC: clang\n\t.string \"GCC: \"\n", false },
		{ "", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (hp_is_compiled((struct piece){
			    table[i].assembly, strlen(table[i].assembly) }) != table[i].is_compiled)
			fail_msg("'%s' is taken for something else", table[i].assembly);
}

/* Messages of the assembler name lines of what the compiler wrote. */
static void lines_keep_their_numbers(void **state)
{
	static const char assembly[] =
		"\t.text\n" FUNCTION("f") "\tendbr64\n\tjne\tg # TAILCALL\n\tret\n.LPFE2:\n\tnop\n\tnop\n" FUNCTION(
			"g") "\tret\n"
			     "\t.size\tg, .-g\n";
	struct hp_text written = HP_TEXT_INIT;
	const char *from = assembly, *to;

	(void)state;
	write_sleds(&written, assembly, &hp_machine_x86_64, all);
	to = written.bytes;
	for (; *from; from = strchr(from, '\n') + 1, to = strchr(to, '\n') + 1) {
		size_t length = strcspn(from, "\n");
		if (from[1] == '.' && memcmp(from, to, length) != 0)
			fail_msg("'%.*s' is elsewhere", (int)length, from);
	}
	hp_text_free(&written);
}

static bool has_f(const void *context, struct piece name)
{
	(void)context;
	return hp_piece_is(name, "f");
}

static void chosen_functions(void **state)
{
	struct hp_text written = HP_TEXT_INIT, sleds = HP_TEXT_INIT;

	(void)state;
	write_sleds(&written, FUNCTION("f") "\tret\n" FUNCTION("g") "\tret\n", &hp_machine_x86_64,
		    (struct sled_choice){ has_f, NULL });
	describe(&sleds, written.bytes);
	assert_string_equal(sleds.bytes, "f:+- g:");
	hp_text_free(&written);
	hp_text_free(&sleds);
}

/* Without sleds, not a byte changes. */
static void nothing_to_do(void **state)
{
	static const char assembly[] = "\t.text\nf: ret # a\n# b\n\n\t.string \"\\\"# c\"\n";
	struct hp_text written = HP_TEXT_INIT;

	(void)state;
	write_sleds(&written, assembly, &hp_machine_x86_64, all);
	assert_string_equal(written.bytes, assembly);
	hp_text_free(&written);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(returns),
		cmocka_unit_test(never_left),
		cmocka_unit_test(inline_assembly),
		cmocka_unit_test(tail_calls),
		cmocka_unit_test(syntax_of_intel),
		cmocka_unit_test(moved_parts),
		cmocka_unit_test(not_wanted),
		cmocka_unit_test(other_machine),
		cmocka_unit_test(unmarked_tail_calls),
		cmocka_unit_test(works_of_compilers),
		cmocka_unit_test(lines_keep_their_numbers),
		cmocka_unit_test(wider_tables),
		cmocka_unit_test(chosen_functions),
		cmocka_unit_test(nothing_to_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
