/* SPDX-License-Identifier: MIT */
/* Arithmetic of counters. */
#include "arithmetic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void chooses_one_of_two(void **state)
{
	(void)state;
	assert_int_equal(hp_min(1, 2), 1);
	assert_int_equal(hp_min(2, 1), 1);
	assert_int_equal(hp_max(1, 2), 2);
	assert_int_equal(hp_max(2, 1), 2);
	assert_int_equal(hp_max(UINT64_MAX, 0), UINT64_MAX);
}

static void differences_stop_at_0(void **state)
{
	(void)state;
	assert_int_equal(hp_minus(5, 2), 3);
	assert_int_equal(hp_minus(2, 2), 0);
	assert_int_equal(hp_minus(2, 5), 0);
	assert_int_equal(hp_minus(0, UINT64_MAX), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chooses_one_of_two),
		cmocka_unit_test(differences_stop_at_0),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
