/* SPDX-License-Identifier: MIT */
/* The call tree of a model made by hand, as people and programs read it. */
#include "written_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER "[hotpath] 100.00 ms | tree | profiler 1.00 µs (0.00%), 10.0 ns a call\n\n"
#define SENTENCE "Functions under their callers; 100 % is the time in the first line."
#define TITLE "tree - " SENTENCE "\n"

enum { MAIN, PARSE, READ, LOG, THREAD, FUNCTIONS };

static const struct hp_function sample[] = {
	[MAIN] = { .name = "main", .file = "src/main.c", .line = 7, .kind = HP_SITE_MAIN },
	[PARSE] = { .name = "parse", .file = "src/parse.c", .line = 12, .kind = HP_SITE_FUNCTION },
	[READ] = { .name = "read", .file = "src/read.c", .line = 3, .kind = HP_SITE_FUNCTION },
	[LOG] = { .name = "log", .kind = HP_SITE_BLOCK },
	[THREAD] = { .name = "thread", .file = "src/main.c", .line = 99, .kind = HP_SITE_FUNCTION },
};

static struct hp_function functions[FUNCTIONS];

/* Parent, function, depth, calls, open, total, self. */
static struct hp_branch branches[] = {
	{ HP_NO_BRANCH, MAIN, 0, 0, 1, 100000000, 5000000 },
	{ 0, PARSE, 1, 4, 0, 60000000, 20000000 },
	{ HP_NO_BRANCH, THREAD, 0, 2, 0, 30000000, 9900000 },
	{ 1, READ, 2, 10, 0, 39800000, 39700000 },
	{ 0, READ, 1, 3, 0, 35000000, 35000000 },
	{ 3, LOG, 3, 40, 0, 100000, 100000 },
	{ 1, LOG, 2, 7, 0, 200000, 200000 },
	{ 2, HP_NO_FUNCTION, 1, 50, 0, 20000000, 20000000 },
	{ 2, LOG, 1, 1, 0, 100000, 100000 },
};

static int set_up(void **state)
{
	(void)state;
	for (size_t i = 0; i < FUNCTIONS; i++) {
		functions[i] = sample[i];
		functions[i].calls = 1;
	}
	model = (struct hp_model){
		.processes = 1,
		.elapsed_ns = 100000000,
		.exit = { .clean = true },
		.span_ns = 10,
		.estimated_ns = 1000,
		.functions = functions,
		.function_count = FUNCTIONS,
		.has_tree = true,
		.branches = branches,
		.branch_count = sizeof(branches) / sizeof(*branches),
	};
	hp_report_options_init(&options);
	strcpy(options.sections, "tree");
	return 0;
}

static void plain(void **state)
{
	(void)state;
	assert_string_equal(report(), HEADER TITLE
			    "+-----------+-----------+-----------+---------+------------------+\n"
			    "|     Calls |     Total |      Self | % Total | Function         |\n"
			    "+-----------+-----------+-----------+---------+------------------+\n"
			    "| 0 +1 open | 100.00 ms |   5.00 ms | 100.00% | main             |\n"
			    "|         4 |  60.00 ms |  20.00 ms |  60.00% | ├─ parse         |\n"
			    "|        10 |  39.80 ms |  39.70 ms |  39.80% | │  ├─ read       |\n"
			    "|        40 | 100.00 µs | 100.00 µs |   0.10% | │  │  └─ <other> |\n"
			    "|         7 | 200.00 µs | 200.00 µs |   0.20% | │  └─ <other>    |\n"
			    "|         3 |  35.00 ms |  35.00 ms |  35.00% | └─ read          |\n"
			    "|         2 |  30.00 ms |   9.90 ms |  30.00% | thread           |\n"
			    "|        51 |  20.10 ms |  20.10 ms |  20.10% | └─ <other>       |\n"
			    "+-----------+-----------+-----------+---------+------------------+\n");
}

/* Of too many the largest, wherever they are. */
static void limited(void **state)
{
	static const char four[] = HEADER
		"tree - " SENTENCE " (4/8)\n"
		"+-----------+-----------+----------+---------+------------+\n"
		"|     Calls |     Total |     Self | % Total | Function   |\n"
		"+-----------+-----------+----------+---------+------------+\n"
		"| 0 +1 open | 100.00 ms |  5.00 ms | 100.00% | main       |\n"
		"|         4 |  60.00 ms | 20.00 ms |  60.00% | ├─ parse   |\n"
		"|        10 |  39.80 ms | 39.70 ms |  39.80% | │  └─ read |\n"
		"|         3 |  35.00 ms | 35.00 ms |  35.00% | └─ read    |\n"
		"+-----------+-----------+----------+---------+------------+\n";

	(void)state;
	set("limit", "4");
	assert_string_equal(report(), four);
	set("limit", "1");
	set("tree-limit", "4");
	assert_string_equal(report(), four);
	set("tree-limit", "0");
	assert_non_null(strstr(report(), "| thread "));
}

static void default_limit(void **state)
{
	static struct hp_function many[100];
	static struct hp_branch roots[100];
	static char names[100][16];

	(void)state;
	for (int i = 0; i < 100; i++) {
		snprintf(names[i], sizeof(names[i]), "f%02d", i);
		many[i] = (struct hp_function){ .name = names[i], .calls = 1 };
		roots[i] = (struct hp_branch){ HP_NO_BRANCH, i, 0, 1, 0, 1000000, 0 };
	}
	model.functions = many;
	model.branches = roots;
	model.function_count = model.branch_count = 100;
	assert_non_null(strstr(report(), SENTENCE " (60/100)\n"));
	assert_non_null(strstr(text.bytes, "| f59 "));
	assert_null(strstr(text.bytes, "| f60 "));
	set("format", "json");
	assert_non_null(strstr(report(), "\"total_count\":100,\"included_count\":100,"));
	set("tree-limit", "7");
	assert_non_null(strstr(report(), "\"total_count\":100,\"included_count\":7,"));
}

/* The ways to what is looked for, and nothing else, however small. */
static void focused(void **state)
{
	(void)state;
	set("focus", "/^log$/");
	assert_string_equal(report(), HEADER TITLE
			    "+-----------+-----------+-----------+---------+--------------+\n"
			    "|     Calls |     Total |      Self | % Total | Function     |\n"
			    "+-----------+-----------+-----------+---------+--------------+\n"
			    "| 0 +1 open | 100.00 ms |   5.00 ms | 100.00% | main         |\n"
			    "|         4 |  60.00 ms |  20.00 ms |  60.00% | └─ parse     |\n"
			    "|        10 |  39.80 ms |  39.70 ms |  39.80% |    ├─ read   |\n"
			    "|        40 | 100.00 µs | 100.00 µs |   0.10% |    │  └─ log |\n"
			    "|         7 | 200.00 µs | 200.00 µs |   0.20% |    └─ log    |\n"
			    "|         2 |  30.00 ms |   9.90 ms |  30.00% | thread       |\n"
			    "|         1 | 100.00 µs | 100.00 µs |   0.10% | └─ log       |\n"
			    "+-----------+-----------+-----------+---------+--------------+\n");
	set("focus", "nothing");
	assert_string_equal(report(), HEADER TITLE "No function matches 'nothing'.\n");
}

/* What an excluded function calls, and its own time, become its caller's. */
static void excluded(void **state)
{
	(void)state;
	set("exclude", "parse");
	assert_string_equal(report(), HEADER TITLE
			    "+-----------+-----------+-----------+---------+---------------+\n"
			    "|     Calls |     Total |      Self | % Total | Function      |\n"
			    "+-----------+-----------+-----------+---------+---------------+\n"
			    "| 0 +1 open | 100.00 ms |  25.00 ms | 100.00% | main          |\n"
			    "|        13 |  74.80 ms |  74.70 ms |  74.80% | ├─ read       |\n"
			    "|        40 | 100.00 µs | 100.00 µs |   0.10% | │  └─ <other> |\n"
			    "|         7 | 200.00 µs | 200.00 µs |   0.20% | └─ <other>    |\n"
			    "|         2 |  30.00 ms |   9.90 ms |  30.00% | thread        |\n"
			    "|        51 |  20.10 ms |  20.10 ms |  20.10% | └─ <other>    |\n"
			    "+-----------+-----------+-----------+---------+---------------+\n");
	set("exclude", "main");
	assert_non_null(strstr(report(), "|  60.00% | parse "));
	set("exclude", "/read|log/");
	set("focus", "parse");
	assert_string_equal(report(), HEADER TITLE
			    "+-----------+-----------+----------+---------+----------+\n"
			    "|     Calls |     Total |     Self | % Total | Function |\n"
			    "+-----------+-----------+----------+---------+----------+\n"
			    "| 0 +1 open | 100.00 ms | 40.00 ms | 100.00% | main     |\n"
			    "|         4 |  60.00 ms | 60.00 ms |  60.00% | └─ parse |\n"
			    "+-----------+-----------+----------+---------+----------+\n");
	set("exclude", "pars");
	assert_string_equal(report(), HEADER TITLE "No function matches 'parse' but not 'pars'.\n");
}

/* What is below itself once what was between is left out is counted once. */
static void excluded_between(void **state)
{
	struct hp_branch three[] = {
		{ HP_NO_BRANCH, PARSE, 0, 5, 0, 90000000, 10000000 },
		{ 0, READ, 1, 5, 0, 80000000, 20000000 },
		{ 1, PARSE, 2, 9, 0, 60000000, 60000000 },
	};

	(void)state;
	model.branches = three;
	model.branch_count = 3;
	set("exclude", "read");
	assert_non_null(
		strstr(report(), "|     5 | 90.00 ms | 90.00 ms |  90.00% | parse    |\n+"));
}

static void everything_excluded(void **state)
{
	(void)state;
	model.branch_count = 7;
	set("exclude", "/./");
	assert_string_equal(report(),
			    HEADER TITLE "Every function is excluded: it matches '/./'.\n");
	set("report", "timing");
	assert_non_null(strstr(report(), "\nEvery function is excluded: it matches '/./'.\n"));
	set("exclude", "/a|log/");
	assert_null(strstr(report(), "main"));
}

static void no_tree(void **state)
{
	(void)state;
	model.branch_count = 0;
	assert_string_equal(report(), HEADER TITLE "No call was recorded in the tree.\n");
	model.has_tree = false;
	assert_string_equal(report(), HEADER TITLE "No call tree was recorded (HOTPATH_TREE=0).\n");
	set("format", "json");
	assert_non_null(strstr(report(), ",\"call_tree\":null}\n"));
}

static void beside_the_table(void **state)
{
	(void)state;
	set("report", "auto");
	assert_null(strstr(report(), TITLE));
	set("tree", "off");
	assert_null(strstr(report(), TITLE));
	set("tree", NULL);
	assert_non_null(strstr(report(), "\ntiming - "));
	assert_non_null(strstr(report(), "\n" TITLE));
	set("report", "-timing");
	set("tree", NULL);
	assert_null(strstr(report(), "\ntiming - "));
	assert_non_null(strstr(report(), "\n" TITLE));
}

static void narrow(void **state)
{
	(void)state;
	functions[READ].name = "read_the_configuration";
	options.width = 70;
	assert_non_null(strstr(report(), "| │  ├─ read…iguration |\n"));
}

static void same_names(void **state)
{
	(void)state;
	functions[PARSE].name = "read";
	assert_non_null(strstr(report(), "| ├─ read (parse.c) "));
	assert_non_null(strstr(report(), "| │  ├─ read (read.c) "));
}

static void colours(void **state)
{
	(void)state;
	options.colour = true;
	assert_non_null(strstr(report(), "\n\x1b[1;36mtree\x1b[0m - "));
	assert_non_null(strstr(text.bytes, "|  \x1b[31m60.00%\x1b[0m | ├─ parse"));
	assert_non_null(strstr(text.bytes, "|  \x1b[33m39.80%\x1b[0m | │  ├─ read"));
}

static void json(void **state)
{
	(void)state;
	model.branch_count = 4;
	branches[3].function = HP_NO_FUNCTION;
	set("format", "json");
	report();
	branches[3].function = READ;
	assert_string_equal(
		strstr(text.bytes, "\"call_tree\""),
		"\"call_tree\":{\"total_count\":4,\"included_count\":4,\"data\":["
		"{\"name\":\"main\",\"kind\":\"main\",\"calls\":0,\"open\":1,"
		"\"total_ns\":100000000,\"self_ns\":5000000,\"percent_total\":100.0,"
		"\"location\":{\"file\":\"src/main.c\",\"line\":7},\"children\":["
		"{\"name\":\"parse\",\"kind\":\"function\",\"calls\":4,\"open\":0,"
		"\"total_ns\":60000000,\"self_ns\":20000000,\"percent_total\":60.0,"
		"\"location\":{\"file\":\"src/parse.c\",\"line\":12},\"children\":["
		"{\"name\":\"<other>\",\"kind\":\"other\",\"calls\":10,\"open\":0,"
		"\"total_ns\":39800000,\"self_ns\":39700000,\"percent_total\":39.8,"
		"\"location\":null,\"children\":[]}]}]},"
		"{\"name\":\"thread\",\"kind\":\"function\",\"calls\":2,\"open\":0,"
		"\"total_ns\":30000000,\"self_ns\":9900000,\"percent_total\":30.0,"
		"\"location\":{\"file\":\"src/main.c\",\"line\":99},\"children\":[]}]}}\n");
}

/* As deep as a tree can be. */
static void deep(void **state)
{
	static struct hp_branch chain[HP_BRANCH_DEPTH_MAX + 1];

	(void)state;
	for (int i = 0; i <= HP_BRANCH_DEPTH_MAX; i++)
		chain[i] = (struct hp_branch){
			i - 1, i % 2, (uint32_t)i, 1, 0, 50000000, 0,
		};
	model.branches = chain;
	model.branch_count = HP_BRANCH_DEPTH_MAX + 1;
	set("limit", "0");
	assert_non_null(strstr(report(), "   └─ parse |\n"));
	set("format", "json-pretty");
	report();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(plain),
		TEST(limited),
		TEST(default_limit),
		TEST(focused),
		TEST(excluded),
		TEST(excluded_between),
		TEST(everything_excluded),
		TEST(no_tree),
		TEST(beside_the_table),
		TEST(narrow),
		TEST(same_names),
		TEST(colours),
		TEST(json),
		TEST(deep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
