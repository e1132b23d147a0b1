/* SPDX-License-Identifier: MIT */
/* Which functions a selection has, and which names a pattern. */
#include "selection.h"

#include <elf.h>
#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const patterns[] = {
	"",	 "*",	   "**",     "a",	"ab",	 "a*",	   "*a",	 "*a*",	 "a*b*c",
	"?",	 "a?",	   "?*?",    "[ab]",	"[!ab]", "[a-c]*", "*[!a-c]",	 "[]a]", "[!]a]",
	"[a-]",	 "[-a]",   "\\*",    "\\a*",	"a\\?",	 "[\\]]",  "a[b",	 "[",	 "*abc",
	"*a*b*", "a*a*a*", "x[0-9]", "parse_*", "*_one", "**a**b", "[a-c][a-c]", "*?b",	 "a.*.?",
};

static const char *const names[] = {
	"",  "a", "b",	     "ab",	  "abc",  "aab", "ba",	     "*",	  "a?",
	"]", "-", "a[b",     "[",	  "x5",	  "xx5", "aabbcc",   "parse_one", "parse_",
	"c", "d", "abababc", "aaaaaaaab", "a\\?", "\\",	 "\xc3\xa4", "axbxc",	  "a.part.0",
};

/* As the C library has them, which knows the same patterns. */
static void patterns_as_fnmatch_has_them(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
		for (size_t j = 0; j < sizeof(names) / sizeof(*names); j++) {
			bool theirs = fnmatch(patterns[i], names[j], 0) == 0;
			bool ours = hp_selection_matches(patterns[i], strlen(patterns[i]),
							 names[j]);
			if (ours != theirs)
				fail_msg("'%s' and '%s': %d", patterns[i], names[j], ours);
		}
	}
}

/* What takes other matchers years. */
static void stars_do_not_multiply(void **state)
{
	static char name[20001];
	char pattern[201] = "";

	(void)state;
	memset(name, 'a', sizeof(name) - 1);
	for (int i = 0; i < 100; i++)
		strcat(pattern, "a*");
	assert_true(hp_selection_matches(pattern, 200, name));
	pattern[199] = 'b';
	assert_false(hp_selection_matches(pattern, 200, name));
}

static void selections(void **state)
{
	static const struct {
		const char *text;
		const char *name;
		uint64_t size;
		bool has;
	} cases[] = {
		{ "", "f", 0, true },
		{ "only f\n", "f", 0, true },
		{ "only f\n", "g", 0, false },
		{ "only f\nonly g\n", "g", 0, true },
		{ "only g", "g", 0, true },
		{ "only g", "gg", 0, false },
		{ "skip f\n", "f", 0, false },
		{ "skip f\n", "g", 0, true },
		{ "only *\nskip f\n", "f", 0, false },
		{ "skip f\nonly f\n", "f", 0, false },
		{ "skip f\nonly f*\n", "ff", 0, true },
		{ "min-size 100\n", "f", 99, false },
		{ "min-size 100\n", "f", 100, true },
		{ "min-size 100\n", "f", 0, true },
		{ "min-size 10\nmin-size 100\n", "f", 50, false },
		{ "min-size 99999999999999999999999\n", "f", 50, false },
		{ "min-size \n", "f", 1, true },
		{ "only f\nmin-size 100\n", "f", 5, false },
		{ "later words\n\n\nskip f\n", "f", 0, false },
		{ "later words\n", "f", 0, true },
		{ "skip \n", "f", 0, true },
		{ "skipf\nonlyf\n", "f", 0, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (hp_selection_has(cases[i].text, cases[i].name, cases[i].size) != cases[i].has)
			fail_msg("'%s' and %s", cases[i].text, cases[i].name);
}

static void a_note(void **state)
{
	struct {
		Elf64_Nhdr header;
		char owner[8];
		char text[12];
	} note = { { 8, 12, 1 }, "hotpath", "only f\n" };
	size_t length = 0;

	(void)state;
	assert_ptr_equal(hp_selection_note(&note, sizeof(note), &length), note.text);
	assert_int_equal(length, 7);
	assert_null(hp_selection_note(&note, sizeof(note) - 1, &length));
	note.header.n_type = 2;
	assert_null(hp_selection_note(&note, sizeof(note), &length));
	note.header.n_type = 1;
	/* A text without an end is none. */
	memset(note.text, 'x', sizeof(note.text));
	assert_null(hp_selection_note(&note, sizeof(note), &length));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_as_fnmatch_has_them),
		cmocka_unit_test(stars_do_not_multiply),
		cmocka_unit_test(selections),
		cmocka_unit_test(a_note),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
