/* SPDX-License-Identifier: MIT */
/* Lines of assembly: their kind, and what they consist of. */
#include "line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* A line as a text: kind, word, rest and comment. */
struct expectation {
	const char *line;
	const char *parts;
};

static void describe(const struct line *line, char *text, size_t size)
{
	static const char *const kinds[] = { "nothing", "label", "directive", "instruction" };

	snprintf(text, size, "%s|%.*s|%.*s|%.*s", kinds[line->kind], (int)line->word.length,
		 line->word.text, (int)line->rest.length, line->rest.text,
		 (int)line->comment.length, line->comment.text);
}

static void check(const struct expectation *expected)
{
	struct piece text = { expected->line, strlen(expected->line) };
	struct line line;
	char parts[256];

	assert_true(hp_line_next(&text, &line));
	describe(&line, parts, sizeof(parts));
	if (strcmp(parts, expected->parts) != 0)
		fail_msg("'%s' is '%s', not '%s'", expected->line, parts, expected->parts);
}

static void kinds(void **state)
{
	static const struct expectation table[] = {
		{ " ", "nothing|||" },
		{ "# text", "nothing|||# text" },
		{ "#APP", "nothing|||#APP" },
		{ "\t#APP", "nothing|||#APP" },
		{ "\t//APP", "nothing|||//APP" },
		{ "# 12 \"a.c\" 1", "nothing|||# 12 \"a.c\" 1" },
		{ "main:", "label|main||" },
		{ ".L2:  # loop", "label|.L2||# loop" },
		{ "f:\tret", "label|f|ret|" },
		{ "1:\tcall\tmcount", "label|1|call\tmcount|" },
		{ "\t.text", "directive|.text||" },
		{ "\t.type\tf, @function", "directive|.type|f, @function|" },
		{ "\tret", "instruction|ret||" },
		{ "\tret\r", "instruction|ret||" },
		{ "\tret\t# 18\t[c=0 l=1]  simple_return_internal",
		  "instruction|ret||# 18\t[c=0 l=1]  simple_return_internal" },
		{ "\tjmp\tg@PLT                # TAILCALL", "instruction|jmp|g@PLT|# TAILCALL" },
		{ "\trep ret", "instruction|rep ret||" },
		{ "\tnotrack jmp\t*%rax", "instruction|notrack jmp|*%rax|" },
		{ "\tb\tg\t// 8\t[c=4 l=4]  *sibcall_insn/1",
		  "instruction|b|g|// 8\t[c=4 l=4]  *sibcall_insn/1" },
		{ "\thint\t#34", "instruction|hint|#34|" },
		{ "\tadd\tx0, x0, #16", "instruction|add|x0, x0, #16|" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		check(&table[i]);
}

static void strings_have_no_comments(void **state)
{
	static const struct expectation table[] = {
		{ "\t.string\t\"a # b\"", "directive|.string|\"a # b\"|" },
		{ "\t.ascii\t\"// b\"", "directive|.ascii|\"// b\"|" },
		{ "\t.ascii\t\"a\\\" # b\"\t# c", "directive|.ascii|\"a\\\" # b\"|# c" },
		{ "\t.ascii\t\"\\\\\" # b", "directive|.ascii|\"\\\\\"|# b" },
		{ "\t.ascii\t\"\\", "directive|.ascii|\"\\|" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		check(&table[i]);
}

static void one_after_the_other(void **state)
{
	struct piece text = { "a:\n\n\tret", 8 };
	struct line line;

	(void)state;
	assert_true(hp_line_next(&text, &line));
	assert_true(hp_piece_is(line.whole, "a:"));
	assert_true(hp_line_next(&text, &line));
	assert_int_equal(line.kind, LINE_NOTHING);
	assert_true(hp_line_next(&text, &line));
	assert_true(hp_piece_is(line.whole, "\tret"));
	assert_false(hp_line_next(&text, &line));
}

static void pieces(void **state)
{
	struct piece name = { "name.cold.1", 9 }, none = { NULL, 0 };

	(void)state;
	assert_true(hp_piece_is(name, "name.cold"));
	assert_false(hp_piece_is(name, "name.cold.1"));
	assert_true(hp_piece_begins(name, "name"));
	assert_false(hp_piece_begins(name, "name.cold.1"));
	assert_true(hp_piece_has(name, ".cold"));
	assert_false(hp_piece_has(none, "a"));
	assert_true(hp_piece_equals(none, none));
	assert_false(hp_piece_equals(none, name));
}

/* Without the comment, others may follow on the line. */
static void written_again(void **state)
{
	struct piece text = { "\tjmp\t*%rax\t# *sibcall", 21 };
	struct hp_text written = HP_TEXT_INIT;
	struct line line;

	(void)state;
	assert_true(hp_line_next(&text, &line));
	hp_line_write(&written, &line);
	assert_string_equal(written.bytes, "\tjmp *%rax");
	hp_text_free(&written);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds),
		cmocka_unit_test(strings_have_no_comments),
		cmocka_unit_test(one_after_the_other),
		cmocka_unit_test(pieces),
		cmocka_unit_test(written_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
