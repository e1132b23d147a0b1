/* SPDX-License-Identifier: MIT */
/* The sections about CPU time, of a model made by hand. */
#include "cpu_sample.h"

#include <json-c/json.h>

/* ---- where CPU time went ---- */

static void exclusive(void **state)
{
	(void)state;
	assert_string_equal(
		section("cpu"),
		"cpu - Exclusive CPU time of functions.\n"
		"Total: 1.00 s of CPU time, by perf events: 1000 samples a second.\n"
		"Whole stacks: 89.41%; compile with -fno-omit-frame-pointer for the rest.\n"
		"+---------------+---------+-----------+---------+\n"
		"| Function      | Samples |  CPU time | % Total |\n"
		"+---------------+---------+-----------+---------+\n"
		"| compute       |     790 | 790.00 ms |  79.00% |\n"
		"| main          |       5 |   5.00 ms |   0.50% |\n"
		"| sleep_a_while |       5 |   5.00 ms |   0.50% |\n"
		"| <outside>     |     200 | 200.00 ms |  20.00% |\n"
		"+---------------+---------+-----------+---------+\n");
}

static void inclusive(void **state)
{
	(void)state;
	set("cpu-inclusive", "1");
	section("cpu");
	assert_true(has("cpu - CPU time of functions and of calls in them: rows overlap.\n"));
	assert_true(has("| main          |     900 | 900.00 ms |  90.00% |\n"
			"| compute       |     840 | 840.00 ms |  84.00% |\n"));
	assert_true(has("| <outside>     |     200 | 200.00 ms |  20.00% |\n"));
}

/* Of a program that is watched: shares of the last seconds, by which rows can be sorted. */
static void recent(void **state)
{
	static const struct hp_trend all = { .recent = 800, .seen = 5 },
				     half = { .recent = 400, .seen = 5 };
	static const struct hp_trend rest = { .recent = 200, .seen = 5 }, none = { .seen = 5 };

	(void)state;
	section("cpu");
	assert_false(has("Last 5 s"));
	model.watched = true;
	model.cpu.trends[HP_CPU_TREND_TOTAL] = &all;
	model.cpu.trends[HP_CPU_TREND_OUTSIDE] = &rest;
	functions[0].cpu_trend = &half;
	functions[1].cpu_trend = &none;
	set("sort", "recent");
	section("cpu");
	functions[0].cpu_trend = functions[1].cpu_trend = NULL;
	assert_true(has("Total: 1.00 s of CPU time, 80.00% of a processor in the last 5 s, by perf "
			"events: 1000 samples a second.\n"));
	assert_true(has("| % Total | Last 5 s | Inclusive | "));
	assert_true(has("|   0.50% |   50.00% |    90.00% |"));
	assert_true(has("|  79.00% |    0.00% |    84.00% |"));
	assert_true(has("|   0.50% |        - |     0.50% |"));
	assert_true(has("|  20.00% |   25.00% |    20.00% |"));
	assert_true(strstr(text.bytes, "| main ") < strstr(text.bytes, "| compute "));
	assert_true(has("| work.c:7 "));
}

/* What is in no function is shown whatever the limit is, but not to who asks for a function. */
static void some_rows(void **state)
{
	(void)state;
	set("cpu-limit", "1");
	section("cpu");
	assert_true(has("of functions. (1/3)\n"));
	assert_true(has("| compute "));
	assert_false(has("| main "));
	assert_true(has("| <outside> "));
	set("focus", "compute");
	section("cpu");
	assert_false(has("| <outside> "));
	set("focus", "nothing of the sort");
	section("cpu");
	assert_true(has("No function matches 'nothing of the sort'.\n"));
}

static void sources(void **state)
{
	(void)state;
	model.cpu.source = HP_CPU_TIMER;
	section("cpu");
	assert_true(has("by CPU timers: 1000 samples a second.\n"));
	model.cpu.looks = 250;
	section("cpu");
	assert_true(
		has("by CPU timers:\n"
		    "250 samples a second instead of 1000, each for the time since the last.\n"));
	model.cpu.stacks = &stacks[0];
	model.cpu.stack_count = 2;
	section("cpu");
	assert_true(has("Whole stacks: 100.00%.\n"));
	model.cpu.stack_count = 0;
	section("cpu");
	assert_false(has("Whole stacks"));
}

static void ends(void **state)
{
	(void)state;
	model.cpu.end = HP_CPU_SIGNAL_TAKEN;
	section("cpu");
	assert_true(has(
		"Sampling ended early: the program began to use the sampling signal itself.\n"));
	section("auto");
	assert_false(has("bottlenecks"));
	section("bottlenecks");
	assert_true(has("their own time on.\nUnknown: sampling ended early.\n"));
	assert_false(has("waits"));
	model.cpu = (struct hp_cpu){ .end = HP_CPU_REFUSED };
	section("auto");
	assert_true(has("cpu - Exclusive"));
	assert_true(has("\nNo CPU time was sampled: the kernel refused both perf events and CPU "
			"timers.\n"));
	assert_false(has("bottlenecks"));
	model.cpu = (struct hp_cpu){ .end = HP_CPU_ELSEWHERE };
	section("auto");
	assert_true(has(
		"\nNo CPU time was sampled: another copy of libhotpath in the process samples instead.\n"));
	model.cpu = (struct hp_cpu){ .end = HP_CPU_GOES_ON };
	section("auto");
	assert_false(has("cpu - "));
	section("cpu,bottlenecks");
	assert_true(has("cpu - Exclusive CPU time of functions.\nNo CPU time was sampled: "
			"use 'hotpath run --cpu', or set HOTPATH_CPU=1.\n"));
	assert_true(has("their own time on.\nNo CPU time was sampled: "));
}

/* Who asked for samples is told why there are none, also in JSON and in saved reports. */
static void none_and_why(void **state)
{
	(void)state;
	model.cpu = (struct hp_cpu){ .source = HP_CPU_PERF, .rate_hz = 1000, .period_ns = MS };
	section("auto");
	assert_true(has("\nNo CPU time was sampled: the program used less than the 1.00 ms that a "
			"sample stands for.\n"));
	model.cpu = (struct hp_cpu){ .source = HP_CPU_NONE };
	model.missing.cpu = (char[]){ "No CPU time was sampled: it is statically linked" };
	section("auto");
	assert_true(has("functions.\nNo CPU time was sampled: it is statically linked.\n"));
	assert_false(has("bottlenecks"));
	set("format", "json");
	report();
	assert_true(has("\"missing\":{\"functions_cpu\":\"No CPU time was sampled: it is "
			"statically linked\"}"));
	/* Where nothing else was measured either, that is all. */
	model.function_count = 0;
	set("format", "table");
	report();
	assert_true(has("] 2.00 s | cpu\n\ncpu - "));
	assert_false(has("No measurements"));
}

/* Who did not ask for samples gets one line in place of the section, and none where the program was just short. */
static void none_by_default(void **state)
{
	(void)state;
	options.cpu_is_default = true;
	model.cpu = (struct hp_cpu){ .source = HP_CPU_PERF, .rate_hz = 1000, .period_ns = MS };
	section("auto");
	assert_true(has("timing - "));
	assert_false(has("CPU time"));
	section("cpu");
	assert_true(has("cpu - Exclusive CPU time of functions.\nNo CPU time was sampled"));
	model.cpu.end = HP_CPU_REFUSED;
	section("auto");
	assert_false(has("cpu - "));
	assert_true(has("\n\nNo CPU time was sampled: the kernel refused both perf events and CPU "
			"timers.\n"));
	section("timing");
	assert_false(has("CPU time"));
	model.function_count = 0;
	model.cpu = (struct hp_cpu){ .source = HP_CPU_PERF, .rate_hz = 1000, .period_ns = MS };
	set("report", "auto");
	assert_string_equal(report(),
			    "[hotpath] 2.00 s\n\nNo CPU time was sampled: the program used "
			    "less than the 1.00 ms that a sample stands for.\n");
}

static void native(void **state)
{
	(void)state;
	forget_functions();
	assert_string_equal(
		section("cpu"),
		"cpu - Exclusive CPU time of functions.\n"
		"Total: 1.00 s of CPU time, by perf events: 1000 samples a second.\n"
		"Whole stacks: 89.41%; compile with -fno-omit-frame-pointer for the rest; 15.00% of the CPU "
		"time has no stack.\n"
		"No function was measured: the rows are the functions of the program, by symbol.\n"
		"+----------------+---------+-----------+---------+\n"
		"| Function       | Samples |  CPU time | % Total |\n"
		"+----------------+---------+-----------+---------+\n"
		"| loop           |     760 | 760.00 ms |  76.00% |\n"
		"| 0x7f0000000000 |      90 |  90.00 ms |   9.00% |\n"
		"| <no stack>     |     150 | 150.00 ms |  15.00% |\n"
		"+----------------+---------+-----------+---------+\n");
	/* What is known of what no stack was seen of. */
	model.cpu.kernel_samples = 100;
	model.cpu.loading_samples = 20;
	section("cpu");
	assert_true(has("| <kernel>       |     100 | 100.00 ms |  10.00% |\n"
			"| <loading>      |      20 |  20.00 ms |   2.00% |\n"
			"| <no stack>     |      30 |  30.00 ms |   3.00% |\n"));
	/* It is never more than is left. */
	model.cpu.kernel_samples = UINT64_MAX;
	section("cpu");
	assert_true(has("| <kernel>       |     150 | 150.00 ms |  15.00% |\n"
			"+----------------+"));
	set("cpu-inclusive", "1");
	section("cpu");
	/* Once in each stack, however often it is in it. */
	assert_true(has("| compute        |     760 | 760.00 ms |  76.00% |\n"
			"| loop           |     760 | 760.00 ms |  76.00% |\n"
			"| main           |     700 | 700.00 ms |  70.00% |\n"));
	section("auto");
	assert_false(has("timing - "));
}

/* ---- what functions do ---- */

static void verdicts(void **state)
{
	(void)state;
	model.memory.mode = HP_ALLOC_COUNT;
	assert_string_equal(
		section("bottlenecks"),
		"bottlenecks - What functions spend their own time on.\n"
		"+---------------+-----------+--------+--------+--------+---------------------+\n"
		"| Function      |      Wall |    CPU |   Wait |  Alloc |             Verdict |\n"
		"+---------------+-----------+--------+--------+--------+---------------------+\n"
		"| sleep_a_while |    1.14 s |  0.44% | 99.56% |  0.00% |                wait |\n"
		"| compute       | 800.00 ms | 98.75% |  1.25% |  0.00% |                 cpu |\n"
		"| main          |  10.00 ms | 50.00% | 50.00% |  0.00% | mixed (few samples) |\n"
		"| allocate      | 120.00 µs | 75.00% | 25.00% | 75.00% | alloc (few samples) |\n"
		"+---------------+-----------+--------+--------+--------+---------------------+\n"
		"sleep_a_while waits for 99 % of its 1.14 s; it is not limited by the CPU.\n"
		"compute computes for 98 % of its 800.00 ms; it is limited by the CPU.\n"
		"allocate allocates for 75 % of its 120.00 µs; fewer allocations would make it faster (few "
		"samples).\n"
		"request takes 249 % of main: several run at the same time.\n");
	model.memory.mode = HP_ALLOC_NONE;
	section("bottlenecks");
	assert_true(has("| Function      |      Wall |    CPU |   Wait |             Verdict |\n"));
}

/* Of a caller that does much itself there is something to say. */
static void sentences(void **state)
{
	struct hp_function own[6];

	(void)state;
	memcpy(own, functions, sizeof(own));
	own[0].self_ns = 200 * MS;
	own[0].cpu.samples = 100;
	own[2].self_ns = 2 * MS;
	own[2].cpu.samples = 0;
	model.functions = own;
	section("bottlenecks");
	assert_true(has("main computes for 50 % and waits for 50 % of its 200.00 ms; neither "
			"dominates.\n"));
	/* Of what nothing is known there is nothing to say. */
	assert_true(has("| sleep_a_while |   2.00 ms |      - |      - |                   - |\n"));
	assert_false(has("\nsleep_a_while"));
}

/* A call that goes on has taken time, too: what the tree knows of it, less the calls inside. */
static void calls_in_progress(void **state)
{
	struct hp_function own[2] = { functions[0], functions[1] };
	struct hp_branch branches[] = {
		{ HP_NO_BRANCH, 0, 0, 0, 1, 2000 * MS, 10 * MS, false },
		{ 0, 1, 1, 1000, 0, 850 * MS, 800 * MS, false },
	};

	(void)state;
	model.functions = own;
	model.function_count = 2;
	model.branches = branches;
	model.branch_count = 2;
	own[0].open = 1;
	section("bottlenecks");
	assert_true(has("| main     |    1.15 s |  0.43% | 99.57% |    wait |\n"));
	assert_true(has("| compute  | 800.00 ms | 98.75% |  1.25% |     cpu |\n"));
}

/* What is the kernel's is told as such. */
static void in_the_kernel(void **state)
{
	struct hp_function own[2] = { functions[0], functions[1] };

	(void)state;
	own[1].cpu.system_samples = 700;
	model.functions = own;
	model.function_count = 2;
	model.cpu.outside_system_samples = 4;
	section("cpu,bottlenecks");
	assert_true(has("| Function  | Samples |  CPU time |      User |    System | % Total |\n"));
	assert_true(has("| compute   |     790 | 790.00 ms |  90.00 ms | 700.00 ms |  79.00% |\n"));
	assert_true(has("| <outside> |     200 | 200.00 ms | 196.00 ms |   4.00 ms |  20.00% |\n"));
	assert_true(
		has("| compute  | 800.00 ms | 98.75% | 87.50% |  1.25% |                 cpu |\n"));
	assert_true(has("compute spends 87 % of its 800.00 ms in the kernel; fewer system calls "
			"and page faults would make it faster.\n"));
}

/* The profiler is not among the functions of the program. */
static void the_profiler(void **state)
{
	(void)state;
	model.cpu.own_samples = 150;
	section("cpu");
	assert_true(has("| <outside>     |      50 |  50.00 ms |   5.00% |\n"
			"| <hotpath>     |     150 | 150.00 ms |  15.00% |\n"));
}

/* Who is stopped and who is found afterwards may be two functions: one has no more than there is room for, and the
   rest is of others that compute. */
static void queueing(void **state)
{
	struct hp_function own[4] = { functions[0], functions[1], functions[2], functions[3] };

	(void)state;
	own[1].cpu.samples = 300;
	own[1].cpu.queue_ns = 700 * MS;
	own[3].self_ns = 400 * MS;
	own[3].cpu = (struct hp_cpu_figures){ .samples = 200 };
	own[2].cpu.samples = 0;
	model.functions = own;
	model.function_count = 4;
	section("bottlenecks");
	assert_true(has("| compute       | 800.00 ms | 37.50% | 62.50% |   0.00% |"));
	assert_true(has("| allocate      | 400.00 ms | 50.00% | 48."));
	/* Who was never seen to compute has not queued. */
	assert_true(has("| sleep_a_while |    1.14 s |  0.00% |  0.00% | 100.00% |"));
}

/* Functions have not waited longer than the threads that ran them, by the kernel's account. */
static void waits_are_limited(void **state)
{
	char name[] = "program";
	struct hp_thread thread = timed(name, 41, 1880, 0);
	struct hp_function own[2] = { functions[0], functions[1] };

	(void)state;
	thread.recorded_ns = 2000 * MS;
	own[0].self_ns = 400 * MS;
	own[0].cpu.samples = 0;
	own[1].cpu.samples = 0;
	model.functions = own;
	model.function_count = 2;
	section("bottlenecks");
	assert_true(has("| compute  | 800.00 ms | 0.00% | 100.00% |    wait |\n"));
	model.threads = (struct hp_threads){ .items = &thread, .count = 1 };
	section("bottlenecks");
	assert_true(has("| compute  | 800.00 ms | 90.00% | 10.00% |     cpu |\n"));
	assert_true(has("| main     | 400.00 ms | 90.00% | 10.00% |     cpu |\n"));
	/* A thread without times may have waited. */
	thread.has_times = false;
	section("bottlenecks");
	assert_true(has("| compute  | 800.00 ms | 0.00% | 100.00% |    wait |\n"));
}

/* Where looks are rare, it takes longer to be sure. */
static void slow_timers(void **state)
{
	(void)state;
	model.cpu.looks = 20;
	section("bottlenecks");
	assert_true(has("|   cpu (few samples) |"));
}

/* ---- JSON ---- */

static struct json_object *parsed(const char *sections)
{
	set("format", "json");
	set("report", sections);
	struct json_object *json = json_tokener_parse(report());
	assert_non_null(json);
	return json;
}

static struct json_object *at(struct json_object *json, const char *path)
{
	struct json_object *found = NULL;

	if (json_pointer_get(json, path, &found))
		fail_msg("no %s in %s", path, text.bytes);
	return found;
}

static void assert_number(struct json_object *json, const char *path, int64_t expected)
{
	assert_int_equal(json_object_get_int64(at(json, path)), expected);
}

static void assert_text(struct json_object *json, const char *path, const char *expected)
{
	assert_string_equal(json_object_get_string(at(json, path)), expected);
}

static void json_of_functions(void **state)
{
	(void)state;
	set("limit", "0");
	struct json_object *json = parsed("cpu");
	assert_number(json, "/functions_cpu/total_samples", 1000);
	assert_number(json, "/functions_cpu/attributed_samples", 800);
	assert_number(json, "/functions_cpu/rate_hz", 1000);
	assert_text(json, "/functions_cpu/source", "perf");
	assert_number(json, "/functions_cpu/period_ns", 1000000);
	assert_number(json, "/functions_cpu/looks", 990);
	assert_text(json, "/functions_cpu/data/0/name", "compute");
	assert_number(json, "/functions_cpu/data/0/samples", 790);
	assert_number(json, "/functions_cpu/data/0/inclusive_samples", 840);
	assert_number(json, "/functions_cpu/data/0/cpu_ns", 790000000);
	assert_true(json_object_get_double(at(json, "/functions_cpu/data/0/percent")) == 79.0);
	assert_text(json, "/functions_cpu/data/4/name", "<outside>");
	assert_number(json, "/functions_cpu/data/4/samples", 200);
	assert_null(json_object_object_get(at(json, "/functions_cpu/data/4"), "kind"));
	json_object_put(json);
}

static void json_of_bottlenecks(void **state)
{
	(void)state;
	struct json_object *json = parsed("bottlenecks");
	assert_text(json, "/bottlenecks/data/0/name", "sleep_a_while");
	assert_number(json, "/bottlenecks/data/0/wall_ns", 1140000000);
	assert_number(json, "/bottlenecks/data/0/cpu_ns", 5000000);
	assert_number(json, "/bottlenecks/data/0/wait_ns", 1135000000);
	assert_text(json, "/bottlenecks/data/0/verdict", "wait");
	assert_text(json, "/bottlenecks/data/0/confidence", "high");
	assert_number(json, "/bottlenecks/data/3/alloc_bytes", 4096);
	assert_number(json, "/bottlenecks/data/3/alloc_ns", 90000);
	assert_text(json, "/bottlenecks/data/3/verdict", "alloc");
	assert_text(json, "/bottlenecks/data/3/confidence", "low");
	assert_text(json, "/bottlenecks/summary/0",
		    "sleep_a_while waits for 99 % of its 1.14 s; it is not limited by the CPU");
	assert_text(json, "/bottlenecks/summary/3",
		    "request takes 249 % of main: several run at the same time");
	assert_int_equal(json_object_array_length(at(json, "/bottlenecks/summary")), 4);
	/* Stacks come with the section about CPU time. */
	assert_null(json_object_object_get(json, "stacks"));
	json_object_put(json);
	/* Without samples, computing would look like waiting. */
	model.cpu.end = HP_CPU_SIGNAL_TAKEN;
	json = parsed("bottlenecks");
	assert_null(at(json, "/bottlenecks"));
	json_object_put(json);
}

static void json_of_stacks(void **state)
{
	(void)state;
	struct json_object *json = parsed("cpu");
	assert_text(json, "/stacks/modules/0/path", "/bin/program");
	assert_text(json, "/stacks/modules/0/build_id", "ab01");
	assert_text(json, "/stacks/threads/1/name", "worker");
	assert_null(at(json, "/stacks/threads/1/tid"));
	assert_number(json, "/stacks/threads/0/tid", 42);
	assert_number(json, "/stacks/threads/0/pid", 41);
	assert_text(json, "/stacks/frames/0/kind", "code");
	assert_number(json, "/stacks/frames/2/address", 0x2000);
	assert_number(json, "/stacks/frames/2/module", 0);
	assert_true(json_object_get_boolean(at(json, "/stacks/frames/2/returns")));
	assert_text(json, "/stacks/frames/1/kind", "measured");
	assert_text(json, "/stacks/frames/1/function/location/file", "src/work.c");
	assert_null(at(json, "/stacks/frames/4/module"));
	assert_number(json, "/stacks/stacks/0/frames/3", 3);
	assert_number(json, "/stacks/stacks/2/thread", 1);
	assert_number(json, "/stacks/stacks/0/samples", 700);
	assert_true(json_object_get_boolean(at(json, "/stacks/stacks/0/whole")));
	json_object_put(json);
	model.cpu.stack_count = 0;
	json = parsed("cpu");
	assert_null(json_object_object_get(json, "stacks"));
	json_object_put(json);
	model.cpu = (struct hp_cpu){ .source = HP_CPU_NONE };
	json = parsed("cpu,bottlenecks");
	assert_null(at(json, "/functions_cpu"));
	assert_null(at(json, "/bottlenecks"));
	json_object_put(json);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(exclusive),
		TEST(inclusive),
		TEST(recent),
		TEST(some_rows),
		TEST(sources),
		TEST(ends),
		TEST(none_and_why),
		TEST(none_by_default),
		TEST(native),
		TEST(verdicts),
		TEST(sentences),
		TEST(calls_in_progress),
		TEST(in_the_kernel),
		TEST(the_profiler),
		TEST(queueing),
		TEST(waits_are_limited),
		TEST(slow_timers),
		TEST(json_of_functions),
		TEST(json_of_bottlenecks),
		TEST(json_of_stacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
