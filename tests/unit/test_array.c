/* SPDX-License-Identifier: MIT */
/* Arrays that grow at their end. */
#include "array.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void doubles_its_room(void **state)
{
	size_t count = 0, room = 0, moves = 0;
	int *items = NULL;

	(void)state;
	while (count < 1000) {
		size_t before = room;
		assert_true(hp_array_reserve(&items, count, &room, sizeof(*items)));
		assert_true(room > count);
		moves += room != before;
		items[count] = (int)count;
		count++;
	}
	assert_true(moves <= 10);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(items[i], (int)i);
	free(items);
}

static void takes_over_a_full_array(void **state)
{
	size_t count = 9, room = 0;
	int *items = calloc(count, sizeof(*items));

	(void)state;
	assert_non_null(items);
	items[8] = 8;
	assert_true(hp_array_reserve(&items, count, &room, sizeof(*items)));
	assert_true(room > count);
	assert_int_equal(items[8], 8);
	free(items);
}

static void is_unchanged_when_memory_runs_out(void **state)
{
	size_t room = 1;
	int *items = calloc(1, sizeof(*items)), *same = items;

	(void)state;
	assert_false(hp_array_reserve(&items, 1, &room, SIZE_MAX / 2));
	assert_ptr_equal(items, same);
	assert_int_equal(room, 1);
	free(items);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(doubles_its_room),
		cmocka_unit_test(takes_over_a_full_array),
		cmocka_unit_test(is_unchanged_when_memory_runs_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
