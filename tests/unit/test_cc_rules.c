/* SPDX-License-Identifier: MIT */
/* Patterns are for files or for functions, and choose both. */
#include "cc_rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void kinds(void **state)
{
	(void)state;
	assert_true(cc_pattern_is_path("src/"));
	assert_true(cc_pattern_is_path("src/*"));
	assert_true(cc_pattern_is_path("parse*.c"));
	assert_true(cc_pattern_is_path("*.hpp"));
	assert_false(cc_pattern_is_path("parse_*"));
	assert_false(cc_pattern_is_path("ns::parse(int)"));
	assert_false(cc_pattern_is_path("main.part"));
	assert_false(cc_pattern_is_path("*"));
}

static bool only(const char *pattern, const char *path)
{
	struct cc_rule rule = { false, pattern };
	struct cc_rules rules = { &rule, 1, NULL };

	return cc_rules_want_file(&rules, path);
}

static void files(void **state)
{
	(void)state;
	assert_true(only("a.c", "a.c"));
	assert_true(only("a.c", "src/a.c"));
	assert_true(only("a.c", "/home/x/src/a.c"));
	assert_false(only("a.c", "aa.c"));
	assert_false(only("a.c", "a.cc"));
	assert_true(only("a*.c", "../src/abc.c"));
	assert_true(only("src/", "src/deep/a.c"));
	assert_true(only("src/deep", "src/deep/a.c"));
	assert_true(only("src/deep//", "src/deep/a.c"));
	assert_true(only("src/", "/home/x/src/a.c"));
	assert_true(only("src/*.c", "./src/a.c"));
	assert_false(only("src/", "source/a.c"));
	assert_false(only("src/", "xsrc/a.c"));
	assert_true(only("/home/x/", "/home/x/a.c"));
	assert_false(only("/home/x/", "/other/home/x/a.c"));
	assert_true(only("/", "/a.c"));
	assert_true(only("[ab].c", "b.c"));
	assert_true(only("function", "a.c"));
}

static void skipping_wins(void **state)
{
	struct cc_rule items[] = {
		{ false, "src/" },
		{ false, "main.c" },
		{ true, "src/old*" },
		{ true, "helper" },
	};
	struct cc_rules rules = { items, 4, NULL };

	(void)state;
	assert_true(cc_rules_want_file(&rules, "src/a.c"));
	assert_true(cc_rules_want_file(&rules, "main.c"));
	assert_false(cc_rules_want_file(&rules, "other/a.c"));
	assert_false(cc_rules_want_file(&rules, "src/old.c"));
	assert_false(cc_rules_want_file(&rules, "src/older/main.c"));
}

static void lines_for_functions(void **state)
{
	struct cc_rule items[] = { { false, "parse_*" }, { true, "a.c" }, { true, "parse_[ab]" } };
	struct cc_rules rules = { items, 3, "64" }, none = { items + 1, 1, NULL };
	struct hp_text text = HP_TEXT_INIT;

	(void)state;
	cc_rules_describe(&none, &text);
	assert_int_equal(text.length, 0);
	cc_rules_describe(&rules, &text);
	assert_string_equal(text.bytes, "only parse_*\nskip parse_[ab]\nmin-size 64\n");
	hp_text_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds),
		cmocka_unit_test(files),
		cmocka_unit_test(skipping_wins),
		cmocka_unit_test(lines_for_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
