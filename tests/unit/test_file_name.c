/* SPDX-License-Identifier: MIT */
/* The last component of a path. */
#include "file_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void drops_the_folder(void **state)
{
	(void)state;
	assert_string_equal(hp_file_name("/usr/lib/libc.so.6"), "libc.so.6");
	assert_string_equal(hp_file_name("src/main.c"), "main.c");
	assert_string_equal(hp_file_name("/init"), "init");
}

static void keeps_a_bare_name(void **state)
{
	(void)state;
	assert_string_equal(hp_file_name("main.c"), "main.c");
	assert_string_equal(hp_file_name(""), "");
}

static void folders_have_no_file_name(void **state)
{
	(void)state;
	assert_string_equal(hp_file_name("src/"), "");
	assert_string_equal(hp_file_name("/"), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drops_the_folder),
		cmocka_unit_test(keeps_a_bare_name),
		cmocka_unit_test(folders_have_no_file_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
