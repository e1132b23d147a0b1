/* SPDX-License-Identifier: MIT */
/* A report of a model made by hand, as people and programs read it. */
#include "written_report.h"

#include <hotpath/version.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#define HEADER "[hotpath] 209.92 ms | timing | profiler 24.60 µs (0.01%), 12.3 ns a call\n"
#define TITLE "\ntiming - Execution duration of functions.\n"

static struct hp_point main_points[] = { { 209920000, 1 } };
static struct hp_point work_points[] = { { 160000, 940 }, { 254720, 50 }, { 301000, 10 } };
static struct hp_point init_points[] = { { 850, 2 } };

static struct hp_function functions[] = {
	{
		.name = (char[]){ "heavy_work" },
		.file = (char[]){ "src/work.c" },
		.line = 33,
		.kind = HP_SITE_FUNCTION,
		.calls = 1000,
		.total_ns = 169910000,
		.self_ns = 150910000,
		.sum_ns = 169910000,
		.min_ns = 100000,
		.max_ns = 300000,
		.times.items = work_points,
		.times.count = 3,
	},
	{
		.name = (char[]){ "main" },
		.file = (char[]){ "src/main.c" },
		.line = 7,
		.kind = HP_SITE_MAIN,
		.is_caller = true,
		.calls = 1,
		.total_ns = 209920000,
		.self_ns = 40010000,
		.sum_ns = 209920000,
		.min_ns = 209920000,
		.max_ns = 209920000,
		.times.items = main_points,
		.times.count = 1,
	},
	{
		.name = (char[]){ "init" },
		.file = (char[]){ "src/init.c" },
		.line = 12,
		.kind = HP_SITE_BLOCK,
		.calls = 2,
		.total_ns = 1700,
		.self_ns = 1700,
		.sum_ns = 1700,
		.min_ns = 840,
		.max_ns = 860,
		.times.items = init_points,
		.times.count = 1,
	},
	{
		.name = (char[]){ "never_called" },
		.kind = HP_SITE_FUNCTION,
	},
};

static const struct hp_model sample = {
	.program = (char[]){ "./program" },
	.arguments = (char[]){ "--size \"10\"" },
	.pid = 42,
	.processes = 1,
	.caller = (char[]){ "main" },
	.elapsed_ns = 209920000,
	.own_elapsed_ns = 209895400,
	.start_unix_ns = UINT64_C(1700000000123456789),
	.exit = { .clean = true },
	.span_ns = 12.3,
	.estimated_ns = 24600,
	.functions = functions,
	.function_count = 4,
};

static int set_up(void **state)
{
	(void)state;
	model = sample;
	hp_report_options_init(&options);
	return 0;
}

static void assert_starts_with(const char *string, const char *start)
{
	if (strncmp(string, start, strlen(start)) != 0)
		assert_string_equal(string, start);
}

static void plain(void **state)
{
	(void)state;
	assert_string_equal(
		report(), HEADER TITLE
		"+------------+-------+-----------+-----------+-----------+---------+\n"
		"| Function   | Calls |       Avg |       P95 |     Total | % Total |\n"
		"+------------+-------+-----------+-----------+-----------+---------+\n"
		"| main       |     1 | 209.92 ms | 209.92 ms | 209.92 ms | 100.00% |\n"
		"| heavy_work |  1000 | 169.91 µs | 254.72 µs | 169.91 ms |  80.94% |\n"
		"| init       |     2 |    850 ns |    850 ns |   1.70 µs |   0.00% |\n"
		"+------------+-------+-----------+-----------+-----------+---------+\n");
}

static void percentile_columns(void **state)
{
	(void)state;
	set("percentiles", "0,99.9");
	set("focus", "heavy");
	assert_string_equal(
		report(), HEADER TITLE
		"+------------+-------+-----------+-----------+-----------+-----------+---------+\n"
		"| Function   | Calls |       Avg |        P0 |     P99.9 |     Total | % Total |\n"
		"+------------+-------+-----------+-----------+-----------+-----------+---------+\n"
		"| heavy_work |  1000 | 169.91 µs | 100.00 µs | 300.00 µs | 169.91 ms |  80.94% |\n"
		"+------------+-------+-----------+-----------+-----------+-----------+---------+\n");
}

static void exclusive(void **state)
{
	(void)state;
	set("time-exclusive", NULL);
	assert_string_equal(report(),
			    HEADER "\ntiming - Exclusive execution duration of functions.\n"
				   "+------------+-------+-----------+-----------+---------+\n"
				   "| Function   | Calls |       Avg |     Total | % Total |\n"
				   "+------------+-------+-----------+-----------+---------+\n"
				   "| heavy_work |  1000 | 150.91 µs | 150.91 ms |  71.89% |\n"
				   "| main       |     1 |  40.01 ms |  40.01 ms |  19.06% |\n"
				   "| init       |     2 |    850 ns |   1.70 µs |   0.00% |\n"
				   "+------------+-------+-----------+-----------+---------+\n");
	set("sort", "avg");
	set("limit", "1");
	assert_non_null(strstr(report(), "\n| main     |"));
}

/* Calls that are shorter than what measuring them takes. */
static void mostly_cost(void **state)
{
	double span_ns = model.span_ns;

	(void)state;
	assert_null(strstr(report(), "~"));
	model.span_ns = 1000;
	assert_non_null(strstr(
		report(), "\nFor rows with ~, measuring took longer than the function itself.\n"));
	assert_non_null(
		strstr(report(), "| init       |     2 |   ~850 ns |   ~850 ns |  ~1.70 µs |"));
	assert_null(strstr(report(), "| main       |     1 | ~"));
	/* What main did itself is little, but not what it did with the others; unless measuring those took longer. */
	uint64_t self_ns = functions[1].self_ns, inner_calls = functions[1].inner_calls;
	functions[1].self_ns = 10;
	assert_null(strstr(report(), "| main       |     1 | ~"));
	set("time-exclusive", NULL);
	assert_non_null(strstr(report(), " ~10 ns |"));
	set("format", "json");
	assert_non_null(strstr(report(), "\"mostly_cost\":false,\"self_mostly_cost\":true"));
	hp_report_options_init(&options);
	functions[1].inner_calls = 1000000;
	assert_non_null(strstr(report(), "| main       |     1 | ~"));
	/* Also if it has not ended. */
	functions[1].calls = 0;
	functions[1].open = 1;
	assert_non_null(strstr(report(), "| main       | 0 +1 open |"));
	assert_non_null(strstr(report(), "| ~209.92 ms |"));
	functions[1].calls = 1;
	functions[1].open = 0;
	functions[1].self_ns = self_ns;
	functions[1].inner_calls = inner_calls;
	model.estimated_ns = model.elapsed_ns / 2;
	assert_non_null(strstr(report(), "\nMeasuring took 50.00% of the time. For rows with ~"));
	model.estimated_ns = 24600;
	model.span_ns = span_ns;
}

/* Calls that were not timed, because that would have cost too much. */
static void untimed(void **state)
{
	(void)state;
	functions[2].measured = HP_MEASURED_COUNTED;
	functions[2].counted = 500;
	assert_non_null(strstr(report(),
			       "\nA function with ~ was called too often to time every call "
			       "within --max-overhead: init.\n"));
	assert_non_null(strstr(
		report(), "| init       |   502 |   ~850 ns |   ~850 ns |  ~1.70 µs |       - |"));
	functions[2].measured = HP_MEASURED_PARTLY;
	assert_non_null(strstr(report(), "| init       |  ~502 |"));
	functions[0].measured = HP_MEASURED_PARTLY;
	assert_non_null(strstr(report(),
			       "\nFunctions with ~ were called too often to time every call "
			       "within --max-overhead: heavy_work, init.\n"));
	set("format", "json");
	assert_non_null(strstr(report(), "\"percent_total\":null,\"percent_self\":null"));
	hp_report_options_init(&options);
	/* Of what has no row, nothing is told. */
	uint64_t calls = functions[2].calls;
	functions[2].calls = functions[2].counted = 0;
	assert_non_null(strstr(report(), "within --max-overhead: heavy_work.\n"));
	functions[2].calls = calls;
	functions[0].measured = functions[2].measured = HP_MEASURED_TIMED;
}

/* Code could not be changed: a limit is not kept, or nothing is measured at all, and nothing is said of how to build. */
static void unpatched(void **state)
{
	(void)state;
	model.dropped[HP_COUNTER_unpatched] = 1;
	assert_non_null(strstr(report(), "forbids to change code: --max-overhead was not kept"));
	model.function_count = 0;
	set("report", "timing");
	assert_non_null(
		strstr(report(), "\nNo function was measured: code may not be changed here"));
	assert_null(strstr(report(), "HOTPATH_MEASURE"));
}

#define NO_CALLER " Without the caller: percentages are of the sum of the rest."

/* The sum is of all rows, also of those that are not shown. */
static void without_caller(void **state)
{
	(void)state;
	set("exclude-wrapper", NULL);
	set("focus", "heavy");
	assert_string_equal(
		report(),
		HEADER "\ntiming - Execution duration of functions." NO_CALLER "\n"
		       "+------------+-------+-----------+-----------+-----------+---------+\n"
		       "| Function   | Calls |       Avg |       P95 |     Total | % Total |\n"
		       "+------------+-------+-----------+-----------+-----------+---------+\n"
		       "| heavy_work |  1000 | 169.91 µs | 254.72 µs | 169.91 ms | 100.00% |\n"
		       "+------------+-------+-----------+-----------+-----------+---------+\n");
	set("focus", "");
	functions[2].total_ns = 56636666;
	assert_non_null(strstr(report(), "169.91 ms |  75.00% |"));
	assert_null(strstr(report(), "| main"));
	set("time-exclusive", NULL);
	assert_non_null(strstr(report(), "150.91 ms | 100.00% |"));
	set("format", "json");
	assert_non_null(strstr(report(), "\"percent_of\":226546666"));
	functions[2].total_ns = 1700;
	/* What is saved has every row. */
	options.complete = true;
	assert_non_null(strstr(report(), "\"name\":\"main\""));
}

static void limited_and_sorted(void **state)
{
	(void)state;
	set("limit", "1");
	set("sort", "calls");
	assert_string_equal(
		report(),
		HEADER "\ntiming - Execution duration of functions. (1/3)\n"
		       "+------------+-------+-----------+-----------+-----------+---------+\n"
		       "| Function   | Calls |       Avg |       P95 |     Total | % Total |\n"
		       "+------------+-------+-----------+-----------+-----------+---------+\n"
		       "| heavy_work |  1000 | 169.91 µs | 254.72 µs | 169.91 ms |  80.94% |\n"
		       "+------------+-------+-----------+-----------+-----------+---------+\n");
	set("sort", "name");
	assert_non_null(strstr(report(), "\n| heavy_work |"));
	set("sort", "avg");
	assert_non_null(strstr(report(), "\n| main     |"));
	set("timing-limit", "0");
	assert_non_null(strstr(report(), "\n| init       |"));
}

static void default_limit(void **state)
{
	struct hp_function many[40];
	char names[40][16];

	(void)state;
	for (size_t i = 0; i < 40; i++) {
		snprintf(names[i], sizeof(names[i]), "f%02zu", i);
		many[i] = (struct hp_function){ .name = names[i], .calls = 1 };
	}
	model.functions = many;
	model.function_count = 40;
	assert_non_null(strstr(report(), "functions. (15/40)\n"));
	assert_non_null(strstr(text.bytes, "| f14 "));
	assert_null(strstr(text.bytes, "| f15 "));
	set("focus", "/^f[01]/");
	assert_non_null(strstr(report(), "functions. (15/20)\n"));
}

static void nothing_in_focus(void **state)
{
	(void)state;
	set("focus", "/^x/");
	assert_string_equal(report(), HEADER TITLE "No function matches '/^x/'.\n");
}

/* A table that is too wide gives way in the names, and then in its columns. */
static void eighty_columns(void **state)
{
	struct hp_function two[] = { functions[0], functions[1] };

	(void)state;
	two[0].name = (char[]){ "parse_the_configuration_file_and_what_it_includes" };
	model.functions = two;
	model.function_count = 2;
	options.width = 80;
	assert_string_equal(
		report(), HEADER TITLE
		"+------------------------+-------+-----------+-----------+-----------+---------+\n"
		"| Function               | Calls |       Avg |       P95 |     Total | % Total |\n"
		"+------------------------+-------+-----------+-----------+-----------+---------+\n"
		"| main                   |     1 | 209.92 ms | 209.92 ms | 209.92 ms | 100.00% |\n"
		"| parse_the_c…t_includes |  1000 | 169.91 µs | 254.72 µs | 169.91 ms |  80.94% |\n"
		"+------------------------+-------+-----------+-----------+-----------+---------+\n");
	options.width = 40;
	assert_string_equal(report(), HEADER TITLE "+----------------------------+---------+\n"
						   "| Function                   | % Total |\n"
						   "+----------------------------+---------+\n"
						   "| main                       | 100.00% |\n"
						   "| parse_the_con…_it_includes |  80.94% |\n"
						   "+----------------------------+---------+\n"
						   "No room for: Calls, Avg, P95, Total.\n");
}

static void names_in_utf8(void **state)
{
	struct hp_function two[] = { functions[0], functions[2] };

	(void)state;
	two[0].name = (char[]){ "größe_prüfen" };
	model.functions = two;
	model.function_count = 2;
	set("percentiles", "100");
	assert_string_equal(
		report(), HEADER TITLE
		"+--------------+-------+-----------+-----------+-----------+---------+\n"
		"| Function     | Calls |       Avg |      P100 |     Total | % Total |\n"
		"+--------------+-------+-----------+-----------+-----------+---------+\n"
		"| größe_prüfen |  1000 | 169.91 µs | 300.00 µs | 169.91 ms |  80.94% |\n"
		"| init         |     2 |    850 ns |    860 ns |   1.70 µs |   0.00% |\n"
		"+--------------+-------+-----------+-----------+-----------+---------+\n");
}

/* What a name does to a terminal must not depend on the measured program. */
static void hostile_names(void **state)
{
	struct hp_function one = functions[2];

	(void)state;
	one.name = (char[]){ "\x1b[2Ja\nb\xff\xc2\x9b"
			     "c\xe2\x80\xae" };
	model.functions = &one;
	model.function_count = 1;
	assert_non_null(strstr(report(), "\n| ?[2Ja?b??c? |"));
	set("focus", "x\x1b");
	assert_non_null(strstr(report(), "No function matches 'x?'."));
	model.program = (char[]){ "\x1b]0;owned\x07" };
	model.function_count = 0;
	assert_non_null(strstr(report(), "No measurements recorded from ?]0;owned?: "));
}

static void same_names(void **state)
{
	struct hp_function rows[6];

	(void)state;
	for (size_t i = 0; i < 6; i++)
		rows[i] = functions[2];
	rows[1].file = (char[]){ "lib/net/init.c" };
	rows[1].line = 99;
	rows[2].file = (char[]){ "other.c" };
	rows[3].file = NULL;
	rows[4].name = (char[]){ "alone" };
	rows[5] = functions[3];
	model.functions = rows;
	model.function_count = 6;
	assert_string_equal(report(), HEADER TITLE
			    "+------------------+-------+--------+--------+---------+---------+\n"
			    "| Function         | Calls |    Avg |    P95 |   Total | % Total |\n"
			    "+------------------+-------+--------+--------+---------+---------+\n"
			    "| alone            |     2 | 850 ns | 850 ns | 1.70 µs |   0.00% |\n"
			    "| init             |     2 | 850 ns | 850 ns | 1.70 µs |   0.00% |\n"
			    "| init (init.c:12) |     2 | 850 ns | 850 ns | 1.70 µs |   0.00% |\n"
			    "| init (init.c:99) |     2 | 850 ns | 850 ns | 1.70 µs |   0.00% |\n"
			    "| init (other.c)   |     2 | 850 ns | 850 ns | 1.70 µs |   0.00% |\n"
			    "+------------------+-------+--------+--------+---------+---------+\n");
}

static void calls_in_progress(void **state)
{
	struct hp_function two[] = { functions[0], functions[3] };

	(void)state;
	two[0].open = 1;
	two[1].open = 2;
	two[1].total_ns = 5000000;
	model.functions = two;
	model.function_count = 2;
	model.exit = (struct hp_exit){ .running = true, .status = -1 };
	assert_string_equal(
		report(),
		"[hotpath] 209.92 ms | timing | profiler 24.60 µs (0.01%), 12.3 ns a call | still "
		"running\n" TITLE
		"+--------------+--------------+-----------+-----------+-----------+---------+\n"
		"| Function     |        Calls |       Avg |       P95 |     Total | % Total |\n"
		"+--------------+--------------+-----------+-----------+-----------+---------+\n"
		"| heavy_work   | 1000 +1 open | 169.91 µs | 254.72 µs | 169.91 ms |  80.94% |\n"
		"| never_called |    0 +2 open |         - |         - |   5.00 ms |   2.38% |\n"
		"+--------------+--------------+-----------+-----------+-----------+---------+\n");
}

static void assert_ends_as(struct hp_exit end, const char *words)
{
	char line[256];

	model.exit = end;
	snprintf(line, sizeof(line), "%.*s%s\n", (int)strlen(HEADER) - 1, HEADER, words);
	assert_starts_with(report(), line);
}

static void ends(void **state)
{
	(void)state;
	assert_ends_as((struct hp_exit){ .clean = true, .status = -1 }, "");
	assert_ends_as((struct hp_exit){ .clean = true, .status = 3 }, " | exit status 3");
	assert_ends_as((struct hp_exit){ .status = 3 }, " | exit status 3");
	assert_ends_as((struct hp_exit){ .status = -1, .signal = SIGKILL }, " | killed by SIGKILL");
	assert_ends_as((struct hp_exit){ .status = -1, .signal = 999 }, " | killed by signal 999");
	assert_ends_as((struct hp_exit){ .status = -1 }, " | ended without exit");
	model.processes = 3;
	assert_ends_as((struct hp_exit){ .status = -1, .signal = SIGSEGV },
		       " | 3 processes | killed by SIGSEGV");
}

static void no_measurements(void **state)
{
	(void)state;
	model.functions = &functions[3];
	model.function_count = 1;
	assert_string_equal(
		report(),
		"[hotpath] 209.92 ms\n"
		"\n"
		"No measurements recorded from ./program: use 'hotpath run --cpu' to see where its "
		"CPU time goes.\n");
	model.missing.loading = (char[]){ "it is statically linked" };
	assert_string_equal(report(),
			    "[hotpath] 209.92 ms\n"
			    "\n"
			    "No measurements recorded from ./program: it is statically linked.\n");
	set("report", "timing,tree");
	assert_string_equal(
		report(),
		"[hotpath] 209.92 ms | timing, tree\n"
		"\n"
		"timing - Execution duration of functions.\n"
		"No function was measured: build with 'hotpath cc' to measure all functions, "
		"or mark some with HOTPATH_MEASURE().\n"
		"\n"
		"tree - Functions under their callers; 100 % is the time in the first line.\n"
		"No function was measured: build with 'hotpath cc' to measure all functions, "
		"or mark some with HOTPATH_MEASURE().\n");
	set("report", "processes");
	assert_non_null(strstr(report(), "No process was measured: hotpath run sees them.\n"));
}

static void dropped(void **state)
{
	(void)state;
	model.dropped[HP_COUNTER_detached] = 3;
	model.dropped[HP_COUNTER_depth] = 12;
	set("report", "-timing");
	assert_string_equal(report(),
			    "[hotpath] 209.92 ms | profiler 24.60 µs (0.01%), 12.3 ns a call\n"
			    "\n"
			    "hotpath: 3 calls ended on another thread or stack than the one they "
			    "began on\n"
			    "hotpath: 12 calls were not measured: nested too deep\n");
}

static void notes(void **state)
{
	char *two[] = { (char[]){ "libfoo.so has no symbols" }, (char[]){ "a \x1b[1m trick" } };

	(void)state;
	model.notes = two;
	model.note_count = 2;
	set("report", "-timing");
	assert_non_null(strstr(report(), " a call\n\n"
					 "hotpath: libfoo.so has no symbols\n"
					 "hotpath: a ?[1m trick\n"));
	model.dropped[HP_COUNTER_depth] = 12;
	assert_non_null(strstr(report(), "nested too deep\nhotpath: libfoo.so has no symbols\n"));
}

/* What is known by its address is told apart by the file with its code, and the address there. */
static void addresses(void **state)
{
	static char program[] = "/bin/program", library[] = "/lib/libfoo.so";
	struct hp_function rows[] = { functions[0], functions[0], functions[0] };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		rows[i].file = NULL;
		rows[i].line = 0;
		rows[i].module = i ? library : program;
		rows[i].offset = 0x1000 + i;
	}
	model.functions = rows;
	model.function_count = 1;
	assert_non_null(strstr(report(), "| heavy_work |"));
	model.function_count = 3;
	assert_non_null(strstr(report(), "| heavy_work (program) "));
	assert_non_null(strstr(report(), "| heavy_work (libfoo.so+0x1001) |"));
	assert_non_null(strstr(report(), "| heavy_work (libfoo.so+0x1002) |"));
	set("format", "json");
	assert_non_null(
		strstr(report(), "\"location\":null,\"module\":\"/bin/program\",\"offset\":4096}"));
}

static void sections(void **state)
{
	static const char *const shown[] = { "auto", "all", "timing", "functions-timing",
					     "-timing,all,timing" };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		set("report", shown[i]);
		assert_non_null(strstr(report(), TITLE));
	}
	set("report", shown[4]);
	assert_null(strstr(report(), TITLE));
	set("report", "auto,-functions-timing");
	assert_null(strstr(report(), TITLE));
}

static void colours(void **state)
{
	struct hp_function two[] = { functions[0], functions[2] };

	(void)state;
	two[1].total_ns = 45000000;
	model.functions = two;
	model.function_count = 2;
	options.colour = true;
	assert_starts_with(report(), "\x1b[1m[hotpath] 209.92 ms");
	assert_non_null(strstr(text.bytes, "\n\x1b[1;36mtiming\x1b[0m - "));
	assert_non_null(strstr(text.bytes, "| \x1b[1mFunction\x1b[0m   |"));
	assert_non_null(strstr(text.bytes, "|  \x1b[31m80.94%\x1b[0m |"));
	assert_non_null(strstr(text.bytes, "|  \x1b[33m21.44%\x1b[0m |"));
}

/* The callers of several processes add up, so they are more than all of the longest one. */
static void merged_share(void **state)
{
	struct hp_function caller = functions[1];

	(void)state;
	caller.total_ns = 209919999;
	model.functions = &caller;
	model.function_count = 1;
	assert_non_null(strstr(report(), " 100.00% |"));
	caller.total_ns = 2 * model.elapsed_ns;
	model.processes = 2;
	assert_non_null(strstr(report(), " 200.00% |"));
}

static void none(void **state)
{
	(void)state;
	set("format", "none");
	assert_string_equal(report(), "");
}

static struct json_object *parse(void)
{
	struct json_object *object = json_tokener_parse(report());

	assert_non_null(object);
	assert_int_equal(text.bytes[text.length - 1], '\n');
	return object;
}

/* Follow keys, and numbers into arrays, such as "functions_timing/data/0/name". */
static struct json_object *at(struct json_object *object, const char *path)
{
	char keys[128];
	char *rest = keys;

	snprintf(keys, sizeof(keys), "%s", path);
	for (char *key = strsep(&rest, "/"); key; key = strsep(&rest, "/")) {
		if (json_object_is_type(object, json_type_array))
			object = json_object_array_get_idx(object, (size_t)atoi(key));
		else
			assert_true(json_object_object_get_ex(object, key, &object));
	}
	return object;
}

static void assert_integer(struct json_object *object, const char *path, int64_t value)
{
	assert_int_equal(json_object_get_type(at(object, path)), json_type_int);
	assert_true(json_object_get_int64(at(object, path)) == value);
}

static void assert_text(struct json_object *object, const char *path, const char *value)
{
	assert_int_equal(json_object_get_type(at(object, path)), json_type_string);
	assert_string_equal(json_object_get_string(at(object, path)), value);
}

static void json_line(void **state)
{
	(void)state;
	set("format", "json");
	set("limit", "1");
	assert_string_equal(
		report(),
		"{\"type\":\"hotpath_report\",\"schema\":1,\"version\":\"" HOTPATH_VERSION "\","
		"\"program\":\"./program\",\"arguments\":\"--size \\\"10\\\"\",\"pid\":42,"
		"\"caller\":\"main\",\"start_unix_ns\":1700000000123456789,"
		"\"elapsed_ns\":209920000,\"own_elapsed_ns\":209895400,"
		"\"exit\":{\"clean\":true,\"status\":0,\"signal\":null,\"running\":false},"
		"\"overhead\":{\"span_ns\":12.3,\"estimated_ns\":24600,"
		"\"estimated_percent\":0.01171875},"
		"\"dropped\":{\"abandoned\":0,\"detached\":0,\"clock_backwards\":0,\"sites\":0,"
		"\"functions\":0,\"buckets\":0,\"threads\":0,\"depth\":0,\"signals\":0,"
		"\"branches\":0,\"unknown_blocks\":0,\"lost_blocks\":0,\"allocations\":0,"
		"\"origins\":0,\"samples\":0,\"stacks\":0,\"not_open\":0,\"ended_twice\":0,"
		"\"early\":0,\"queues\":0,\"flows\":0,\"filtered\":0,\"unsampled\":0,\"locks\":0,"
		"\"lost_samples\":0,\"unpatched\":0},"
		"\"notes\":[],"
		"\"functions_timing\":{\"percentiles\":[95],\"exclusive\":false,"
		"\"total_count\":3,\"included_count\":1,"
		"\"data\":[{\"name\":\"main\",\"kind\":\"main\",\"calls\":1,\"open\":0,"
		"\"counted_calls\":0,\"inner_calls\":0,\"measured\":\"timed\","
		"\"total_ns\":209920000,\"self_ns\":40010000,\"sum_ns\":209920000,"
		"\"avg_ns\":209920000,\"self_avg_ns\":40010000,\"min_ns\":209920000,"
		"\"max_ns\":209920000,\"p95_ns\":209920000,\"percent_total\":100.0,"
		"\"percent_self\":19.059641768292682,\"mostly_cost\":false,\"self_mostly_cost\":false,\"caller\":true,"
		"\"location\":{\"file\":\"src/main.c\",\"line\":7}}]}}\n");
}

/* In JSON each key means the same whatever is shown. */
static void exclusive_json(void **state)
{
	(void)state;
	set("format", "json");
	set("sort", "total");
	set("time-exclusive", NULL);
	struct json_object *object = parse();

	assert_true(json_object_get_boolean(at(object, "functions_timing/exclusive")));
	assert_text(object, "functions_timing/data/0/name", "heavy_work");
	assert_integer(object, "functions_timing/data/0/avg_ns", 169910);
	assert_integer(object, "functions_timing/data/0/self_avg_ns", 150910);
	assert_integer(object, "functions_timing/data/0/p95_ns", 254720);
	assert_true(json_object_get_double(at(object, "functions_timing/data/1/percent_total")) ==
		    100);
	assert_true(json_object_get_double(at(object, "functions_timing/data/1/percent_self")) <
		    20);
	json_object_put(object);
}

static void json_types(void **state)
{
	(void)state;
	set("format", "json-pretty");
	set("percentiles", "50,99.9");
	model.processes = 2;
	model.exit = (struct hp_exit){ .status = -1, .signal = 9 };
	struct json_object *object = parse();

	assert_integer(object, "processes", 2);
	assert_integer(object, "start_unix_ns", INT64_C(1700000000123456789));
	assert_int_equal(json_object_get_type(at(object, "exit/clean")), json_type_boolean);
	assert_null(at(object, "exit/status"));
	assert_integer(object, "exit/signal", 9);
	assert_int_equal(json_object_get_type(at(object, "overhead/span_ns")), json_type_double);
	assert_integer(object, "functions_timing/percentiles/0", 50);
	assert_true(json_object_get_double(at(object, "functions_timing/percentiles/1")) == 99.9);
	assert_text(object, "functions_timing/data/1/name", "heavy_work");
	assert_text(object, "functions_timing/data/1/kind", "function");
	assert_integer(object, "functions_timing/data/1/p50_ns", 160000);
	assert_integer(object, "functions_timing/data/1/p99.9_ns", 300000);
	assert_int_equal(json_object_get_type(at(object, "functions_timing/data/1/percent_total")),
			 json_type_double);
	assert_false(
		json_object_object_get_ex(at(object, "functions_timing/data/1"), "caller", NULL));
	assert_false(json_object_object_get_ex(at(object, "functions_timing/data/1"), "histogram",
					       NULL));
	assert_int_equal(json_object_array_length(at(object, "functions_timing/data")), 3);
	json_object_put(object);
}

static void json_complete(void **state)
{
	struct hp_function rows[] = { functions[0], functions[1], functions[2], functions[3] };

	(void)state;
	rows[3].open = 1;
	set("format", "json");
	set("limit", "1");
	set("focus", "nothing");
	set("report", "-timing");
	model.functions = rows;
	options.complete = true;
	struct json_object *object = parse();

	assert_integer(object, "functions_timing/total_count", 4);
	assert_integer(object, "functions_timing/included_count", 4);
	assert_integer(object, "functions_timing/data/1/histogram/2/0", 301000);
	assert_integer(object, "functions_timing/data/1/histogram/2/1", 10);
	assert_null(at(object, "functions_timing/data/3/location"));
	assert_int_equal(json_object_array_length(at(object, "functions_timing/data/3/histogram")),
			 0);
	json_object_put(object);
}

static void json_without_measurements(void **state)
{
	(void)state;
	set("format", "json");
	model.function_count = 0;
	model.functions = NULL;
	model.program = NULL;
	struct json_object *object = parse();

	assert_null(at(object, "program"));
	assert_integer(object, "functions_timing/total_count", 0);
	assert_int_equal(json_object_array_length(at(object, "functions_timing/data")), 0);
	json_object_put(object);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(plain),
		TEST(percentile_columns),
		TEST(exclusive),
		TEST(without_caller),
		TEST(mostly_cost),
		TEST(untimed),
		TEST(unpatched),
		TEST(exclusive_json),
		TEST(limited_and_sorted),
		TEST(default_limit),
		TEST(nothing_in_focus),
		TEST(eighty_columns),
		TEST(names_in_utf8),
		TEST(hostile_names),
		TEST(same_names),
		TEST(calls_in_progress),
		TEST(ends),
		TEST(no_measurements),
		TEST(dropped),
		TEST(notes),
		TEST(addresses),
		TEST(sections),
		TEST(colours),
		TEST(merged_share),
		TEST(none),
		TEST(json_line),
		TEST(json_types),
		TEST(json_complete),
		TEST(json_without_measurements),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
