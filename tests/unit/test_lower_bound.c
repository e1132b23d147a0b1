/* SPDX-License-Identifier: MIT */
/* Binary search for the first of several elements with the same key. */
#include "lower_bound.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static bool is_before(const void *element, const void *key)
{
	return *(const int *)element < *(const int *)key;
}

static size_t find(const int *numbers, size_t count, int key)
{
	return hp_lower_bound(&key, numbers, count, sizeof(*numbers), is_before);
}

static void finds_the_first_of_equals(void **state)
{
	static const int numbers[] = { 1, 3, 3, 3, 3, 7 };

	(void)state;
	assert_int_equal(find(numbers, 6, 1), 0);
	assert_int_equal(find(numbers, 6, 3), 1);
	assert_int_equal(find(numbers, 6, 7), 5);
}

static void finds_the_next_larger(void **state)
{
	static const int numbers[] = { 1, 3, 3, 7 };

	(void)state;
	assert_int_equal(find(numbers, 4, 0), 0);
	assert_int_equal(find(numbers, 4, 4), 3);
	assert_int_equal(find(numbers, 4, 8), 4);
}

static void nothing_is_in_an_empty_array(void **state)
{
	(void)state;
	assert_int_equal(find(NULL, 0, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_first_of_equals),
		cmocka_unit_test(finds_the_next_larger),
		cmocka_unit_test(nothing_is_in_an_empty_array),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
