/* SPDX-License-Identifier: MIT */
/* Ids of the rows of a sum: by what they are, from read to read. */
#include "row_ids.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

extern const struct hp_kind hp_kind_channels;

static struct hp_function function(char *name, char *file, uint32_t line, char *module)
{
	return (struct hp_function){ .name = name, .file = file, .line = line, .module = module };
}

/* Another process has come: its rows are between those that were there. */
static void rows_keep_their_ids(void **state)
{
	struct hp_function before[] = { function("a", "x.c", 1, NULL),
					function("b", "x.c", 2, NULL) };
	struct hp_function after[] = { function("b", "x.c", 2, NULL), function("c", "y.c", 3, NULL),
				       function("a", "x.c", 1, NULL) };
	struct hp_model first = { .functions = before, .function_count = 2 };
	struct hp_model second = { .functions = after, .function_count = 3 };
	struct hp_row_ids ids = { .count = 0 };

	(void)state;
	assert_true(hp_row_ids_set(&ids, &first) && hp_row_ids_set(&ids, &second));
	assert_int_not_equal(before[0].id, 0);
	assert_int_not_equal(before[0].id, before[1].id);
	assert_int_equal(after[0].id, before[1].id);
	assert_int_equal(after[2].id, before[0].id);
	assert_int_not_equal(after[1].id, 0);
	assert_true(after[1].id != before[0].id && after[1].id != before[1].id);
	hp_row_ids_clear(&ids);
}

/* Rates of both are in one table. */
static void a_channel_is_no_function(void **state)
{
	struct hp_function functions[] = { function("jobs", "x.c", 1, NULL) };
	struct hp_entry entries[] = {
		{ .kind = &hp_kind_channels, .name = "jobs", .file = "x.c", .line = 1 },
		{ .kind = &hp_kind_channels, .name = "jobs", .file = "x.c", .line = 2 },
	};
	struct hp_model model = { .functions = functions,
				  .function_count = 1,
				  .entries = { .items = entries, .count = 2 } };
	struct hp_row_ids ids = { .count = 0 };

	(void)state;
	assert_true(hp_row_ids_set(&ids, &model));
	assert_int_not_equal(functions[0].id, entries[0].id);
	assert_int_not_equal(functions[0].id, entries[1].id);
	assert_int_not_equal(entries[0].id, entries[1].id);
	hp_row_ids_clear(&ids);
}

static void files_count_by_their_names(void **state)
{
	struct hp_function here = function("run", NULL, 0, "/usr/lib/libfoo.so");
	struct hp_function there = function("run", NULL, 0, "/opt/libfoo.so");
	struct hp_function other = function("run", NULL, 0, "/usr/lib/libbar.so");

	(void)state;
	assert_int_equal(hp_row_key(&here), hp_row_key(&there));
	assert_int_not_equal(hp_row_key(&here), hp_row_key(&other));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_keep_their_ids),
		cmocka_unit_test(a_channel_is_no_function),
		cmocka_unit_test(files_count_by_their_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
