/* SPDX-License-Identifier: MIT */
/* The sections about allocations, of a model made by hand. */
#include "section.h"
#include "written_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

static struct hp_point kilobytes[] = { { 1024, 1000 } };
static struct hp_point ones[] = { { 1, 1000 } };
static struct hp_point all_bytes[] = { { 1024000, 1 } };

static struct hp_function functions[] = {
	{ .name = (char[]){ "main" },
	  .file = (char[]){ "src/main.c" },
	  .line = 7,
	  .kind = HP_SITE_MAIN,
	  .is_caller = true,
	  .calls = 1,
	  .total_ns = 5000,
	  .alloc = { .bytes = 24576,
		     .count = 3,
		     .inclusive_bytes = 1048576,
		     .inclusive_count = 1003,
		     .freed_bytes = 500,
		     .freed_count = 5,
		     .calls = { [HP_ALLOC_INCLUSIVE_BYTES] = { all_bytes, 1 } } } },
	{ .name = (char[]){ "allocate" },
	  .kind = HP_SITE_FUNCTION,
	  .calls = 1000,
	  .total_ns = 4000,
	  .alloc = { .bytes = 1024000,
		     .count = 1000,
		     .inclusive_bytes = 1024000,
		     .inclusive_count = 1000,
		     .temporary_count = 250,
		     .calls = { { kilobytes, 1 }, { ones, 1 }, { kilobytes, 1 }, { ones, 1 } } } },
	{ .name = (char[]){ "compute" }, .kind = HP_SITE_FUNCTION, .calls = 1000 },
	{ .name = (char[]){ "never_called" }, .kind = HP_SITE_FUNCTION },
};

static struct hp_live live[] = {
	{ .name = (char[]){ "<other call sites>" }, .bytes = 64, .blocks = 1, .peak_bytes = 64 },
	{ .name = (char[]){ "allocate" },
	  .location = (char[]){ "src/some/work.c:33" },
	  .bytes = 2048,
	  .blocks = 2,
	  .peak_bytes = 1024000 },
	{ .name = (char[]){ "main" },
	  .location = (char[]){ "libc.so.6+0x6f5a4 (a/b)" },
	  .bytes = 22464,
	  .blocks = 2,
	  .peak_bytes = 22464 },
	{ .name = (char[]){ "tidy" }, .location = (char[]){ "tidy.c:1" }, .peak_bytes = 4096 },
};

static struct hp_thread threads[] = {
	{ .name = (char[]){ "worker" },
	  .tid = 43,
	  .pid = 42,
	  .state = HP_THREAD_ENDED,
	  .threads = 1,
	  .has_times = true,
	  .user_ns = 1500000,
	  .system_ns = 20000,
	  .cpu_now = -1,
	  .cpu_avg = 99.5,
	  .cpu_max = -1,
	  .allocated_bytes = 24576,
	  .freed_bytes = 1024000 },
	{ .name = (char[]){ "main" },
	  .tid = 42,
	  .pid = 42,
	  .state = HP_THREAD_RUNNING,
	  .threads = 1,
	  .cpu_now = 12.5,
	  .cpu_avg = -1,
	  .cpu_max = 100,
	  .allocated_bytes = 1024000 },
};

static const struct hp_model sample = {
	.program = (char[]){ "./program" },
	.arguments = (char[]){ "" },
	.pid = 42,
	.processes = 1,
	.caller = (char[]){ "main" },
	.elapsed_ns = 5000,
	.exit = { .clean = true },
	.functions = functions,
	.function_count = 4,
	.memory = { .mode = HP_ALLOC_LIVE,
		    .bytes = 1048576,
		    .count = 1003,
		    .allocated_bytes = 1048576,
		    .freed_bytes = 1024000,
		    .freed_count = 998,
		    .live_bytes = 24576,
		    .live_blocks = 5,
		    .peak_bytes = 1048576,
		    .rss_bytes = 2097152,
		    .peak_rss_bytes = 3145728,
		    .live = live,
		    .live_count = 4 },
	.threads = { .items = threads, .count = 2 },
};

static int set_up(void **state)
{
	(void)state;
	model = sample;
	hp_report_options_init(&options);
	return 0;
}

/* ---- functions ---- */

static void bytes_of_functions(void **state)
{
	(void)state;
	assert_string_equal(
		section("alloc-bytes"),
		"alloc-bytes - Exclusive allocation bytes of functions.\n"
		"Total: 1.0 MB\n"
		"+----------+-------+---------+--------+-----------+---------+-----------+\n"
		"| Function | Calls |     Avg |    P95 |     Total | % Total | Temporary |\n"
		"+----------+-------+---------+--------+-----------+---------+-----------+\n"
		"| allocate |  1000 |  1.0 KB | 1.0 KB | 1000.0 KB |  97.66% |    25.00% |\n"
		"| main     |     1 | 24.0 KB |    0 B |   24.0 KB |   2.34% |     0.00% |\n"
		"+----------+-------+---------+--------+-----------+---------+-----------+\n");
}

static void numbers_of_allocations(void **state)
{
	(void)state;
	model.memory.mode = HP_ALLOC_FREED;
	assert_string_equal(section("alloc-count"),
			    "alloc-count - Exclusive allocations of functions.\n"
			    "Total: 1003\n"
			    "+----------+-------+-----+-----+-------+---------+\n"
			    "| Function | Calls | Avg | P95 | Total | % Total |\n"
			    "+----------+-------+-----+-----+-------+---------+\n"
			    "| allocate |  1000 |   1 |   1 |  1000 |  99.70% |\n"
			    "| main     |     1 |   3 |   0 |     3 |   0.30% |\n"
			    "+----------+-------+-----+-----+-------+---------+\n");
}

static void cumulative(void **state)
{
	(void)state;
	set("alloc-cumulative", NULL);
	set("focus", "main");
	model.memory.mode = HP_ALLOC_COUNT;
	assert_string_equal(section("alloc"),
			    "alloc-bytes - Bytes that functions and calls in them allocated.\n"
			    "Total: 1.0 MB\n"
			    "+----------+-------+--------+-----------+--------+---------+\n"
			    "| Function | Calls |    Avg |       P95 |  Total | % Total |\n"
			    "+----------+-------+--------+-----------+--------+---------+\n"
			    "| main     |     1 | 1.0 MB | 1000.0 KB | 1.0 MB | 100.00% |\n"
			    "+----------+-------+--------+-----------+--------+---------+\n");
}

/* Sorting, limits and what is left out work as in timing. */
static void chosen_rows(void **state)
{
	(void)state;
	set("sort", "name");
	set("alloc-limit", "1");
	section("alloc");
	assert_true(has("functions. (1/2)\nTotal: 1.0 MB\n"));
	assert_true(has("| allocate "));
	assert_false(has("| main "));
	set("sort", "temporary");
	set("exclude", "main");
	section("alloc,timing");
	assert_true(strstr(text.bytes, "| allocate") < strstr(text.bytes, "| compute"));
	/* What was called and did not allocate is shown to whoever asks for it. */
	set("focus", "compute");
	section("alloc");
	assert_true(has("| compute  |  1000 | 0 B | 0 B |   0 B |   0.00% |\n"));
	set("focus", "nothing");
	assert_string_equal(section("alloc"),
			    "alloc-bytes - Exclusive allocation bytes of functions.\n"
			    "Total: 1.0 MB\n"
			    "No function matches 'nothing' but not 'main'.\n");
}

/* The process is not called; what calls malloc is known by its calls of it. */
static void rows_without_calls(void **state)
{
	struct hp_function rows[] = { functions[0], functions[1] };

	(void)state;
	rows[0].calls = 0;
	rows[1].calls = 0;
	rows[1].kind = HP_SITE_CALL;
	model.functions = rows;
	model.function_count = 2;
	assert_string_equal(section("alloc"),
			    "alloc-bytes - Exclusive allocation bytes of functions.\n"
			    "Total: 1.0 MB\n"
			    "+----------+-------+--------+-----------+---------+-----------+\n"
			    "| Function | Calls |    Avg |     Total | % Total | Temporary |\n"
			    "+----------+-------+--------+-----------+---------+-----------+\n"
			    "| allocate |  1000 | 1.0 KB | 1000.0 KB |  97.66% |    25.00% |\n"
			    "| main     |     - |      - |   24.0 KB |   2.34% |     0.00% |\n"
			    "+----------+-------+--------+-----------+---------+-----------+\n");
	/* There is no time to show, and nothing to advise. */
	set("report", "auto");
	report();
	assert_true(has("| alloc-bytes, live, threads | profiler 0 ns (0.00%)\n\nalloc-bytes - "));
	assert_false(has("timing"));
	assert_string_equal(section("timing"), "timing - Execution duration of functions.\n"
					       "No function was measured: build with "
					       "'hotpath cc' to measure all functions, or "
					       "mark some with HOTPATH_MEASURE().\n");
}

static void eighty_columns(void **state)
{
	static char name[] = "read_the_configuration_and_everything_that_it_includes";
	struct hp_function row = functions[1];
	struct hp_live place = live[2];

	(void)state;
	row.name = place.name = name;
	place.location = (char[]){ "libstdc++.so.6.0.33+0xab120 (operator new(unsigned))" };
	model.memory.live = &place;
	model.memory.live_count = 1;
	model.functions = &row;
	model.function_count = 1;
	options.width = 80;
	section("alloc,live,threads");
	assert_true(has("\n+------------------+-------+--------+--------+-----------+---------+"
			"-----------+\n"));
	assert_true(has("| read_the…ncludes |  1000 |"));
	assert_true(has(
		"| read_the_co…t_includes | libstdc++.s…unsigned)) | 21.9 KB |      2 | 21.9 KB |\n"));
}

static void colours(void **state)
{
	(void)state;
	options.colour = true;
	section("alloc");
	assert_true(has("\x1b[31m97.66%\x1b[0m"));
	options.colour = false;
	section("all");
	assert_false(has("\x1b["));
}

/* ---- blocks ---- */

static void live_blocks(void **state)
{
	(void)state;
	assert_string_equal(
		section("live"),
		"live - Blocks that are still allocated.\n"
		"Total: 24.0 KB in 5 blocks, at most 1.0 MB at once\n"
		"+--------------------+-------------------------+---------+--------+-----------+\n"
		"| Function           | Location                |   Bytes | Blocks |      Peak |\n"
		"+--------------------+-------------------------+---------+--------+-----------+\n"
		"| main               | libc.so.6+0x6f5a4 (a/b) | 21.9 KB |      2 |   21.9 KB |\n"
		"| allocate           | work.c:33               |  2.0 KB |      2 | 1000.0 KB |\n"
		"| <other call sites> | -                       |    64 B |      1 |      64 B |\n"
		"+--------------------+-------------------------+---------+--------+-----------+\n");
	set("live-limit", "1");
	section("live");
	assert_true(has("live - Blocks that are still allocated. (1/3)\n"));
	assert_true(has("\nTotal: 24.0 KB in 5 blocks"));
	set("focus", "allo");
	section("live");
	assert_true(has("\n| allocate |"));
	set("exclude", "allo");
	section("live");
	assert_true(has("No function matches 'allo' but not 'allo'.\n"));
}

/* What the C library keeps is one line, and the rows and that line are the total. */
static void kept_by_libc(void **state)
{
	struct hp_live places[] = { live[0], live[1], live[2] };

	(void)state;
	places[2].of_libc = true;
	model.memory.live = places;
	model.memory.live_count = 3;
	assert_string_equal(
		section("live"),
		"live - Blocks that are still allocated.\n"
		"Total: 24.0 KB in 5 blocks, at most 1.0 MB at once\n"
		"Of that, the C library keeps 21.9 KB in 2 blocks for itself; --live-limit 0 shows them.\n"
		"+--------------------+-----------+--------+--------+-----------+\n"
		"| Function           | Location  |  Bytes | Blocks |      Peak |\n"
		"+--------------------+-----------+--------+--------+-----------+\n"
		"| allocate           | work.c:33 | 2.0 KB |      2 | 1000.0 KB |\n"
		"| <other call sites> | -         |   64 B |      1 |      64 B |\n"
		"+--------------------+-----------+--------+--------+-----------+\n");
	set("focus", "main");
	section("live");
	assert_true(has("| main     | libc.so.6+0x6f5a4 (a/b) | 21.9 KB |"));
	set("focus", "");
	set("live-limit", "0");
	section("live");
	assert_false(has("the C library keeps"));
	assert_true(has("| main               | libc.so.6+0x6f5a4 (a/b) | 21.9 KB |"));
	places[0].of_libc = places[1].of_libc = true;
	set("live-limit", "9");
	assert_string_equal(section("live"),
			    "live - Blocks that are still allocated.\n"
			    "Total: 24.0 KB in 5 blocks, at most 1.0 MB at once\n"
			    "Of that, the C library keeps 24.0 KB in 5 blocks for itself; "
			    "--live-limit 0 shows them.\n");
}

static void nothing_is_live(void **state)
{
	(void)state;
	model.memory.live = &live[3];
	model.memory.live_count = 1;
	model.memory.live_bytes = model.memory.live_blocks = 0;
	assert_string_equal(section("live"), "live - Blocks that are still allocated.\n"
					     "Total: 0 B in 0 blocks, at most 1.0 MB at once\n"
					     "All blocks were freed.\n");
	model.memory.mode = HP_ALLOC_FREED;
	assert_string_equal(section("live"), "live - Blocks that are still allocated.\n"
					     "Blocks were counted, but not tracked one by one: "
					     "use --alloc=live.\n");
	set("report", "auto");
	report();
	assert_false(has("live"));
}

/* ---- threads ---- */

static void of_threads(void **state)
{
	(void)state;
	assert_string_equal(
		section("threads"),
		"threads - CPU time and memory of threads.\n"
		"PID: 42, RSS: 2.0 MB, peak RSS: 3.0 MB, allocated: 1.0 MB, freed: 1000.0 KB, "
		"difference: 24.0 KB\n"
		"+--------+-----+---------+--------+---------+---------+---------+----------+-----------+"
		"-----------+------------+\n"
		"| Thread | TID | State   |    CPU | Avg CPU | Max CPU |    User |   System | Allocated |"
		"     Freed | Difference |\n"
		"+--------+-----+---------+--------+---------+---------+---------+----------+-----------+"
		"-----------+------------+\n"
		"| main   |  42 | Running | 12.50% |       - | 100.00% |       - |        - | 1000.0 KB |"
		"       0 B |  1000.0 KB |\n"
		"| worker |  43 | Ended   |      - |  99.50% |       - | 1.50 ms | 20.00 \xc2\xb5s |   24.0 KB |"
		" 1000.0 KB |  -976.0 KB |\n"
		"+--------+-----+---------+--------+---------+---------+---------+----------+-----------+"
		"-----------+------------+\n");
	model.memory.mode = HP_ALLOC_COUNT;
	model.memory.rss_bytes = model.memory.peak_rss_bytes = 0;
	section("threads");
	assert_true(has("\nPID: 42, allocated: 1.0 MB\n"));
	assert_true(has(" | 1000.0 KB |\n"));
	assert_false(has("Freed"));
	model.memory.rss_bytes = 2097152;
	model.memory.own_rss_bytes = 1048576;
	section("threads");
	assert_true(has("\nPID: 42, RSS: 2.0 MB (1.0 MB of it hotpath's), allocated: 1.0 MB\n"));
	model.memory.rss_bytes = model.memory.own_rss_bytes = 0;
	/* Without allocations, there are still threads. */
	model.memory.mode = HP_ALLOC_NONE;
	section("threads");
	assert_true(has("\nPID: 42\n"));
	assert_true(has("|   System |\n"));
	/* Who had to queue for a processor. */
	struct hp_thread queued[] = { threads[0], threads[1] };
	queued[0].recorded_ns = 10000000;
	queued[0].queue_ns = 5000000;
	model.threads.items = queued;
	section("threads");
	assert_true(has(" |   Queue |\n"));
	assert_true(has("| 5.00 ms |\n"));
}

/* Who runs is shown whatever the limit is; of those that have ended, the busiest. */
static void many_threads(void **state)
{
	static char names[16][2];
	struct hp_thread many[16];

	(void)state;
	for (uint32_t i = 0; i < 16; i++) {
		names[i][0] = i < 8 ? 't' : (char)('a' + i);
		many[i] = (struct hp_thread){ .name = names[i],
					      .tid = i + 1,
					      .state = i < 8 ? HP_THREAD_SLEEPING : HP_THREAD_ENDED,
					      .threads = 1,
					      .has_times = true,
					      .user_ns = 1000 * i,
					      .allocated_bytes = 100 + i,
					      .freed_bytes = 50 };
	}
	model.threads = (struct hp_threads){ .items = many,
					     .count = 16,
					     .rest = { .threads = 100, .allocated_bytes = 1000 } };
	section("threads");
	assert_true(has("threads - CPU time and memory of threads. (13/16)\n"));
	assert_true(has("| t            |   1 | Sleeping |"));
	assert_true(has("| l            |  12 | Ended    |"));
	assert_false(has("|  11 |"));
	assert_true(has("| <ended: 103> |   - | -        |"));
	assert_true(has("|    1.3 KB | 150 B |"));
	set("threads-limit", "0");
	section("threads");
	assert_true(has("<ended: 100>"));
}

/* Threads of a name that have ended are one row, if they are more than the limit; but not the main thread. */
static void many_of_a_name(void **state)
{
	static char names[][4] = { "t", "t", "t", "t", "u" };
	struct hp_thread many[5];

	(void)state;
	for (uint32_t i = 0; i < 5; i++)
		many[i] = (struct hp_thread){ .name = names[i],
					      .tid = i + 7,
					      .pid = 7,
					      .state = HP_THREAD_ENDED,
					      .threads = i == 3 ? 90 : 1,
					      .has_times = true,
					      .recorded_ns = 10000,
					      .user_ns = 1000 * i };
	model.threads = (struct hp_threads){ .items = many, .count = 5 };
	model.memory.mode = HP_ALLOC_NONE;
	set("threads-limit", "5");
	section("threads");
	assert_true(has("| t              |   8 | Ended |"));
	assert_true(has("| t (90 threads) |  10 | Ended |"));
	set("threads-limit", "4");
	section("threads");
	assert_true(has("threads - CPU time and memory of threads.\n"));
	assert_true(has("| t (92 threads) |   - | Ended | 0.00% |  20.00% |   0.00% | 6.00 µs |"));
	assert_true(has("| u              |  11 | Ended |"));
	assert_true(has("| t              |   7 | Ended |"));
}

/* A damaged segment may have so many that their number is 0 again: they are shown all the same. */
static void more_threads_than_can_be_counted(void **state)
{
	static char name[] = "t";
	struct hp_thread one = { .name = name, .tid = 1, .threads = 1 };

	(void)state;
	model.memory.mode = HP_ALLOC_NONE;
	model.threads =
		(struct hp_threads){ .items = &one, .count = 1, .rest = { .threads = UINT64_MAX } };
	section("all");
	assert_true(has("threads - CPU time"));
}

/* The first thread that is shown, sorted by a column. */
static const char *first_by(const char *column)
{
	struct hp_grid grid;
	static struct hp_text name;

	strcpy(options.sort, column);
	assert_true(hp_section_open_grid(hp_section_find("threads"), &grid, &model, &options));
	assert_int_equal(grid.sorted >= 0, column[0] != '\0');
	hp_text_free(&name);
	grid.kind->cell(&grid, 0, 0, &name);
	hp_grid_close(&grid);
	return name.bytes;
}

static void sorted_threads(void **state)
{
	static const struct {
		const char *column, *first;
	} cases[] = { { "", "main" },	       { "thread", "main" },  { "tid", "worker" },
		      { "state", "main" },     { "cpu", "main" },     { "cpu-avg", "worker" },
		      { "cpu-max", "main" },   { "user", "worker" },  { "system", "worker" },
		      { "allocated", "main" }, { "freed", "worker" }, { "difference", "main" } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(first_by(cases[i].column), cases[i].first);
}

/* ---- which are shown ---- */

static void automatic(void **state)
{
	(void)state;
	report();
	assert_true(has("| timing, alloc-bytes, live, threads | "));
	set("alloc-metric", "count");
	report();
	assert_true(has("| timing, alloc-count, live, threads | "));
	set("report", "functions-alloc");
	report();
	assert_true(has("| alloc-count | "));
	set("report", "auto,alloc-bytes,-threads");
	report();
	assert_true(has("| timing, alloc-bytes, alloc-count, live | "));
	set("report", "-alloc");
	report();
	assert_true(has("| timing, live, threads | "));
	model.memory = (struct hp_memory){ .mode = HP_ALLOC_NONE };
	set("report", "all");
	report();
	assert_true(has("| timing, tree, threads | "));
	section("alloc,live");
	assert_true(has("\nTotal") == false &&
		    has("\nNo allocations were recorded: use 'hotpath run --alloc', or "
			"link the program with hotpath-alloc.\n"));
}

/* Who asked for allocations is told why there are none. */
static void none_and_why(void **state)
{
	(void)state;
	model.memory = (struct hp_memory){ .mode = HP_ALLOC_NONE };
	model.missing.alloc = (char[]){ "No allocations were recorded: it is statically linked" };
	set("report", "auto");
	report();
	assert_true(has("alloc-bytes - Exclusive allocation bytes of functions.\n"
			"No allocations were recorded: it is statically linked.\n"));
	model.memory.mode = HP_ALLOC_LIVE;
	section("alloc,live");
	assert_true(has("functions.\nThe program allocated nothing.\n"));
	assert_true(has("still allocated.\nThe program allocated nothing.\n"));
}

/* ---- JSON ---- */

static struct json_object *parse(void)
{
	set("format", "json");
	struct json_object *object = json_tokener_parse(report());

	assert_non_null(object);
	return object;
}

/* Follow keys, and numbers into arrays, such as "threads/data/0/name". */
static struct json_object *at(struct json_object *object, const char *path)
{
	char keys[128];
	char *rest = keys;

	snprintf(keys, sizeof(keys), "%s", path);
	for (char *key = strsep(&rest, "/"); key; key = strsep(&rest, "/")) {
		if (json_object_is_type(object, json_type_array))
			object = json_object_array_get_idx(object, (size_t)atoi(key));
		else if (!json_object_object_get_ex(object, key, &object))
			fail_msg("no %s in %s", key, path);
	}
	return object;
}

static void assert_at(struct json_object *object, const char *path, const char *value)
{
	struct json_object *found = at(object, path);

	assert_string_equal(found ? json_object_to_json_string_ext(found, JSON_C_TO_STRING_PLAIN)
				  : "null",
			    value);
}

static void json_of_functions(void **state)
{
	(void)state;
	set("percentiles", "50,99.9");
	struct json_object *object = parse();
	struct json_object *alloc = at(object, "functions_alloc");

	assert_at(alloc, "mode", "\"live\"");
	assert_at(alloc, "cumulative", "false");
	assert_at(alloc, "percentiles", "[50,99.9]");
	assert_at(alloc, "total_bytes", "1048576");
	assert_at(alloc, "total_blocks", "1003");
	assert_at(alloc, "freed_bytes", "1024000");
	assert_at(alloc, "freed_blocks", "998");
	assert_at(alloc, "total_count", "3");
	assert_at(alloc, "included_count", "3");
	assert_at(
		alloc, "data/0",
		"{\"name\":\"allocate\",\"kind\":\"function\",\"calls\":1000,\"open\":0,"
		"\"bytes\":1024000,\"count\":1000,\"inclusive_bytes\":1024000,"
		"\"inclusive_count\":1000,\"nested_bytes\":0,\"nested_count\":0,\"freed_bytes\":0,\"freed_count\":0,"
		"\"temporary_count\":250,\"avg_bytes\":1024,\"avg_count\":1,\"p50_bytes\":1024,"
		"\"p99.9_bytes\":1024,\"p50_count\":1,\"p99.9_count\":1,"
		"\"percent_total\":97.65625,\"location\":null}");
	assert_at(alloc, "data/1/name", "\"main\"");
	assert_at(alloc, "data/1/caller", "true");
	assert_at(alloc, "data/1/location/line", "7");
	assert_at(alloc, "data/1/freed_count", "5");
	json_object_put(object);
}

/* What is not known is null, whatever stands in its place. */
static void json_of_modes(void **state)
{
	struct hp_function row = functions[1];

	(void)state;
	row.kind = HP_SITE_CALL;
	row.calls = 0;
	model.functions = &row;
	model.function_count = 1;
	model.memory.mode = HP_ALLOC_COUNT;
	model.memory.rss_bytes = 0;
	set("report", "all");
	struct json_object *object = parse();
	assert_at(object, "functions_alloc/mode", "\"count\"");
	assert_at(object, "functions_alloc/freed_bytes", "null");
	assert_at(object, "functions_alloc/data/0/kind", "\"call\"");
	assert_at(object, "functions_alloc/data/0/calls", "1000");
	assert_at(object, "functions_alloc/data/0/avg_bytes", "1024");
	assert_at(object, "functions_alloc/data/0/p95_bytes", "null");
	assert_at(object, "functions_alloc/data/0/freed_count", "null");
	assert_at(object, "functions_alloc/data/0/temporary_count", "null");
	assert_at(object, "threads/rss_bytes", "null");
	assert_at(object, "threads/freed_bytes", "null");
	assert_at(object, "threads/difference_bytes", "null");
	assert_false(json_object_object_get_ex(object, "memory_live", NULL));
	json_object_put(object);
}

static void json_of_memory(void **state)
{
	(void)state;
	struct json_object *object = parse();
	struct json_object *blocks = at(object, "memory_live"), *all = at(object, "threads");

	assert_at(blocks, "live_bytes", "24576");
	assert_at(blocks, "live_blocks", "5");
	assert_at(blocks, "peak_bytes", "1048576");
	assert_at(blocks, "total_count", "3");
	assert_at(blocks, "data/1",
		  "{\"name\":\"allocate\",\"location\":\"src\\/some\\/work.c:33\","
		  "\"bytes\":2048,\"blocks\":2,\"peak_bytes\":1024000,\"libc\":false}");
	assert_at(blocks, "data/2/location", "null");
	assert_at(all, "rss_bytes", "2097152");
	assert_at(all, "peak_rss_bytes", "3145728");
	assert_at(all, "allocated_bytes", "1048576");
	assert_at(all, "difference_bytes", "24576");
	assert_at(
		all, "data/1",
		"{\"name\":\"worker\",\"tid\":43,\"pid\":42,\"state\":\"ended\",\"threads\":1,"
		"\"cpu_percent\":null,\"cpu_percent_avg\":99.5,\"cpu_percent_max\":null,"
		"\"recorded_ns\":null,\"before_ns\":null,"
		"\"user_ns\":1500000,\"system_ns\":20000,\"queue_ns\":0,\"allocated_bytes\":24576,"
		"\"freed_bytes\":1024000,\"difference_bytes\":-999424}");
	assert_at(
		all, "ended",
		"{\"threads\":0,\"user_ns\":null,\"system_ns\":null,\"queue_ns\":null,\"allocated_bytes\":0,"
		"\"freed_bytes\":0,\"difference_bytes\":0}");
	json_object_put(object);
}

/* Two sections have one key: it is there once. */
static void json_once(void **state)
{
	(void)state;
	set("report", "alloc-bytes,alloc-count");
	set("format", "json");
	const char *first = strstr(report(), "\"functions_alloc\":");
	assert_non_null(first);
	assert_null(strstr(first + 1, "\"functions_alloc\":"));
	set("report", "alloc-count");
	assert_non_null(strstr(report(), "\"functions_alloc\":"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(bytes_of_functions),
		TEST(numbers_of_allocations),
		TEST(cumulative),
		TEST(chosen_rows),
		TEST(rows_without_calls),
		TEST(eighty_columns),
		TEST(colours),
		TEST(live_blocks),
		TEST(kept_by_libc),
		TEST(nothing_is_live),
		TEST(of_threads),
		TEST(many_threads),
		TEST(many_of_a_name),
		TEST(more_threads_than_can_be_counted),
		TEST(sorted_threads),
		TEST(automatic),
		TEST(none_and_why),
		TEST(json_of_functions),
		TEST(json_of_modes),
		TEST(json_of_memory),
		TEST(json_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
