/* SPDX-License-Identifier: MIT */
/* @file stands for the words in it, taken apart as compilers do. */
#include "argument_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/test_argument_file-XXXXXX";

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
	static const char *const names[] = { "one", "two", "loop" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		unlink(names[i]);
	return rmdir(folder);
}

static void write_file(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* The words of a line of one word, each in brackets. */
static void assert_words(const char *word, const char *expected)
{
	char *argv[] = { (char *)(uintptr_t)word, NULL }, joined[256] = "";
	struct word_list list;

	assert_int_equal(word_list_expand(argv, &list), 0);
	for (size_t i = 0; i < list.count; i++) {
		strcat(joined, "[");
		strcat(joined, list.items[i]);
		strcat(joined, "]");
	}
	assert_null(list.items[list.count]);
	assert_string_equal(joined, expected);
	word_list_free(&list);
}

static void plain_words(void **state)
{
	(void)state;
	assert_words("-c", "[-c]");
	assert_words("", "[]");
	assert_words("@", "[@]");
	assert_words("@nothing", "[@nothing]");
	assert_words("@.", "[@.]");
	assert_words("a\\ b'c", "[a\\ b'c]");
}

static void quoting(void **state)
{
	(void)state;
	write_file("one", "-c  a.c\n\t'b c.c' \"d 'e'\" f\\ g 'h\\'i' x\"y\"z \"\" \\\\");
	assert_words("@one", "[-c][a.c][b c.c][d 'e'][f g][h'i][xyz][][\\]");
	write_file("one", "");
	assert_words("@one", "");
	write_file("one", " \n");
	assert_words("@one", "");
	write_file("one", "'open end");
	assert_words("@one", "[open end]");
}

static void nesting(void **state)
{
	(void)state;
	write_file("one", "a @two d");
	write_file("two", "b '@none' c");
	assert_words("@one", "[a][b][@none][c][d]");
}

static void endless(void **state)
{
	char *argv[] = { "@loop", "end", NULL };
	struct word_list list;

	(void)state;
	write_file("loop", "x @loop");
	assert_int_equal(word_list_expand(argv, &list), 0);
	assert_string_equal(list.items[list.count - 1], "end");
	word_list_free(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_words),
		cmocka_unit_test(quoting),
		cmocka_unit_test(nesting),
		cmocka_unit_test(endless),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
