/* SPDX-License-Identifier: MIT */
/* Who calls a function and whom it calls, also where functions call each other in turn. */
#include "function_names.h"
#include "relatives.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAIN, EVEN, ODD, OTHER_ODD };

static struct hp_function functions[] = {
	[MAIN] = { .name = "main" },
	[EVEN] = { .name = "even", .file = "a.c", .line = 1 },
	[ODD] = { .name = "odd", .file = "a.c", .line = 2 },
	[OTHER_ODD] = { .name = "odd", .file = "b.c", .line = 2 },
};

/* Parent, function, depth, calls, open, total, self. */
static struct hp_branch branches[] = {
	{ HP_NO_BRANCH, MAIN, 0, 1, 0, 1000, 100 },
	{ 0, EVEN, 1, 3, 0, 600, 50 },
	{ 1, ODD, 2, 3, 0, 500, 60 },
	{ 2, EVEN, 3, 2, 1, 400, 70 },
	{ 3, ODD, 4, 2, 0, 300, 300 },
	{ 0, HP_NO_FUNCTION, 1, 9, 0, 200, 150 },
	{ 5, EVEN, 2, 1, 0, 50, 50 },
	{ HP_NO_BRANCH, OTHER_ODD, 0, 4, 0, 80, 80 },
};

static struct hp_model model = {
	.elapsed_ns = 1000,
	.functions = functions,
	.function_count = sizeof(functions) / sizeof(*functions),
	.has_tree = true,
	.branches = branches,
	.branch_count = sizeof(branches) / sizeof(*branches),
};

static struct hp_report_options options;
static struct hp_text text;

static int set_up(void **state)
{
	(void)state;
	hp_report_options_init(&options);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	hp_text_free(&text);
	return 0;
}

static const char *neighbours(enum hp_direction direction, const char *name)
{
	hp_text_free(&text);
	assert_int_equal(hp_neighbours_write(&model, direction, name, &options, &text), 0);
	assert_false(text.failed);
	return text.length ? text.bytes : "";
}

/* Of calls inside each other, the time counts once: 600 of main, 400 of odd, and 650 in all. */
static void callers(void **state)
{
	(void)state;
	assert_string_equal(neighbours(HP_CALLERS, "even"),
			    "Callers of even; 100 % is its 650 ns, of which 170 ns are its own.\n"
			    "+-----------+--------+-------+---------+-----------+\n"
			    "|     Calls |  Total |  Self | % Total | Function  |\n"
			    "+-----------+--------+-------+---------+-----------+\n"
			    "|         3 | 600 ns | 50 ns |  92.31% | main      |\n"
			    "| 2 +1 open | 400 ns | 70 ns |  61.54% | odd (a.c) |\n"
			    "|         1 |  50 ns | 50 ns |   7.69% | <other>   |\n"
			    "+-----------+--------+-------+---------+-----------+\n");
}

static void callees(void **state)
{
	(void)state;
	assert_string_equal(neighbours(HP_CALLEES, "even"),
			    "Callees of even; 100 % is its 650 ns, of which 170 ns are its own.\n"
			    "+-------+--------+--------+---------+-----------+\n"
			    "| Calls |  Total |   Self | % Total | Function  |\n"
			    "+-------+--------+--------+---------+-----------+\n"
			    "|     5 | 500 ns | 360 ns |  76.92% | odd (a.c) |\n"
			    "+-------+--------+--------+---------+-----------+\n");
}

static void functions_of_one_name(void **state)
{
	(void)state;
	assert_string_equal(neighbours(HP_CALLERS, "odd"),
			    "Callers of odd; 100 % is its 580 ns, of which 440 ns are its own.\n"
			    "+-------+--------+--------+---------+----------+\n"
			    "| Calls |  Total |   Self | % Total | Function |\n"
			    "+-------+--------+--------+---------+----------+\n"
			    "|     5 | 500 ns | 360 ns |  86.21% | even     |\n"
			    "|     4 |  80 ns |  80 ns |  13.79% | <none>   |\n"
			    "+-------+--------+--------+---------+----------+\n");
}

static void json(void **state)
{
	(void)state;
	options.format = HP_FORMAT_JSON;
	assert_string_equal(
		neighbours(HP_CALLERS, "main"),
		"{\"type\":\"hotpath_callers\",\"schema\":1,\"name\":\"main\",\"calls\":1,"
		"\"open\":0,\"total_ns\":1000,\"self_ns\":100,\"callers\":["
		"{\"name\":\"<none>\",\"kind\":\"none\",\"calls\":1,\"open\":0,\"total_ns\":1000,"
		"\"self_ns\":100,\"percent_total\":100.0,\"location\":null}]}\n");
	options.format = HP_FORMAT_NONE;
	assert_string_equal(neighbours(HP_CALLERS, "main"), "");
}

static void unknown(void **state)
{
	static const char *const names[] = { "", "mai", "mainly", "<other>", "<none>" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_int_equal(hp_neighbours_write(&model, HP_CALLEES, names[i], &options, &text),
				 -ENOENT);
	assert_int_equal(text.length, 0);
}

/* The compiler has inlined some calls of a measured function: stacks have another name of it than the call tree. */
static void inlined(void **state)
{
	struct hp_cpu_frame frames[] = {
		{ .kind = HP_FRAME_CODE,
		  .name = (char[]){ "main" },
		  .inlined = (char[]){ "even (in main)" } },
		{ .kind = HP_FRAME_CODE,
		  .name = (char[]){ "main" },
		  .inlined = (char[]){ "add (in main)" } },
	};
	struct hp_model sampled = model;

	(void)state;
	sampled.cpu.frames = frames;
	sampled.cpu.frame_count = 2;
	assert_string_equal(hp_function_shown(&sampled, "even"), "even");
	assert_string_equal(hp_function_in_stacks(&sampled, "even"), "even (in main)");
	assert_string_equal(hp_function_shown(&sampled, "add"), "add (in main)");
	assert_int_equal(hp_relatives_write(&sampled, HP_CALLERS, "even", &options, &text), 0);
	assert_non_null(strstr(text.bytes, "odd"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(callers), TEST(callees), TEST(functions_of_one_name),
		TEST(json),    TEST(inlined), TEST(unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
