/* SPDX-License-Identifier: MIT */
/* Stacks of a model become stacks of functions, with measured functions in their place, in every format. */
#include "made_cpu.h"

#include "export.h"

#include <json-c/json.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static struct made_cpu made;

static char *export_of(const char *what, const char *name)
{
	struct hp_text text = HP_TEXT_INIT;
	const struct hp_export_format *format = hp_export_find(name);
	const struct hp_export_subject *subject = hp_export_subject_find(what);

	assert_non_null(format);
	assert_non_null(subject);
	assert_true(hp_export_subject_is_recorded(subject, &made.model));
	assert_true(hp_export_write(&made.model, subject, format, &text));
	assert_false(text.failed);
	return text.bytes;
}

static char *export(const char *name)
{
	return export_of("cpu", name);
}

static void assert_folded_of(const char *what, const char *wanted)
{
	char *text = export_of(what, "folded");

	assert_string_equal(text, wanted);
	free(text);
}

static void assert_folded(const char *wanted)
{
	assert_folded_of("cpu", wanted);
}

static int begin(void **state)
{
	(void)state;
	made_cpu(&made);
	return 0;
}

/* Control characters and invalid UTF-8 in names are replaced; other text is passed on. */
static void test_folded_hostile(void **state)
{
	(void)state;
	made.model.cpu.stack_count = 0;
	made.threads[0].samples = made.threads[1].samples = 0;
	uint32_t controls = made_code(&made, 0, "a;\n\033[31m\177\302\233b");
	uint32_t marks = made_code(&made, 0, "\342\200\256\342\201\246\330\234c");
	uint32_t bytes = made_code(&made, 0, "\377\300\200\355\240\200d\303");
	uint32_t letters = made_code(&made, 0, "gr\303\266\303\237e");
	MADE_STACK(&made, 0, 1, true, letters, bytes, marks, controls);
	assert_folded("made;a:??[31m??b;???c;??????d?;gr\303\266\303\237e 1\n");
}

static void test_folded(void **state)
{
	(void)state;
	assert_folded("made;main;parse.constprop.0_[m] 300\n"
		      "made;main;parse.constprop.0_[m];read line_[m];memcpy 400\n"
		      "made;main;render;draw<a> & \"b\": 'c'?]]></script> 200\n"
		      "made;main;walk;walk;walk 50\n"
		      "made;[no stack] 10\n"
		      "worker:1;[cut off];start_thread;render 240\n");
}

/* Threads of one name are one; so are places of one function. */
static void test_merged(void **state)
{
	(void)state;
	made.model.cpu.stack_count = 0;
	made.threads[1].name = made.threads[0].name;
	made.threads[0].samples = made.threads[1].samples = 0;
	uint32_t there = made_code(&made, 0, "f"), here = made_code(&made, 0, "f");
	MADE_STACK(&made, 0, 1, true, here);
	MADE_STACK(&made, 1, 2, true, there);
	MADE_STACK(&made, 1, 4, true, here, there);
	assert_folded("made;f 3\n"
		      "made;f;f 4\n");
}

/* A block is inside of the function whose code it is in; a function is known by its name. */
static void test_measured(void **state)
{
	(void)state;
	made.model.cpu.stack_count = 0;
	made.threads[0].samples = made.threads[1].samples = 0;
	uint32_t code = made_code(&made, 0, "parse"), other = made_code(&made, 0, "parser");
	uint32_t function = made_site(&made, 0), block = made_site(&made, 1);
	MADE_STACK(&made, 0, 1, true, block, code);
	MADE_STACK(&made, 0, 2, true, block, function, code);
	MADE_STACK(&made, 0, 4, true, function, other);
	MADE_STACK(&made, 0, 8, true, function);
	assert_folded("made;parse_[m];read line_[m] 3\n"
		      "made;parser;parse_[m] 4\n"
		      "made;parse_[m] 8\n");
}

/* A function that is being ended is still open in what ends it. */
static void test_ended(void **state)
{
	(void)state;
	made.model.cpu.stack_count = 0;
	made.threads[0].samples = made.threads[1].samples = 0;
	uint32_t code = made_code(&made, 0, "parse"), end = made_code(&made, 1, "end");
	uint32_t function = made_site(&made, 0);
	MADE_STACK(&made, 0, 1, true, function, end, code);
	MADE_STACK(&made, 0, 2, true, function, code, code);
	assert_folded("made;parse_[m];end 1\n"
		      "made;parse_[m];parse_[m] 2\n");
}

static struct json_object *member(struct json_object *object, const char *key)
{
	struct json_object *value = NULL;

	if (!json_object_object_get_ex(object, key, &value))
		fail_msg("no %s", key);
	return value;
}

static void test_speedscope(void **state)
{
	(void)state;
	char *text = export("speedscope");
	struct json_object *file = json_tokener_parse(text);
	assert_non_null(file);

	struct json_object *frames = member(member(file, "shared"), "frames");
	struct json_object *first = json_object_array_get_idx(member(file, "profiles"), 0);
	struct json_object *samples = member(first, "samples"), *weights = member(first, "weights");
	assert_int_equal(json_object_array_length(member(file, "profiles")), 2);
	assert_int_equal(json_object_array_length(samples), json_object_array_length(weights));
	assert_int_equal(json_object_get_int64(member(first, "endValue")), 960000000);
	struct json_object *stack = json_object_array_get_idx(samples, 1);
	struct json_object *frame = json_object_array_get_idx(
		frames, (size_t)json_object_get_int(json_object_array_get_idx(stack, 2)));
	assert_string_equal(json_object_get_string(member(frame, "name")), "read line [measured]");
	assert_string_equal(json_object_get_string(member(frame, "file")), "parse.c");
	assert_int_equal(json_object_get_int(member(frame, "line")), 42);
	json_object_put(file);
	free(text);
}

/* A name is text wherever it stands. */
static void test_flamegraph(void **state)
{
	(void)state;
	char *text = export("flamegraph");

	assert_non_null(strstr(
		text, "<title>draw&lt;a&gt; &amp; &quot;b&quot;; "
		      "'c'\xef\xbf\xbd]]&gt;&lt;/script&gt;\n200 samples, 16.67%, 200.00 ms\n"
		      "made</title>"));
	assert_non_null(strstr(text,
			       "<title>read line\n400 samples, 33.33%, 400.00 ms\nparse.c:42\n"
			       "made\nmeasured</title>"));
	assert_null(strstr(text, "draw<a>"));
	assert_null(strstr(strstr(text, "</script>") + 1, "</script>"));
	assert_null(strstr(text, "http://www.w3.org/1999/xlink"));
	free(text);
}

/* A program with one thread has no row for it. */
static void test_rows(void **state)
{
	(void)state;
	char *both = export("flamegraph");
	made.model.cpu.stack_count--;
	made.threads[1].samples = 0;
	char *one = export("flamegraph");

	assert_non_null(strstr(both, "<title>worker;1\n"));
	assert_null(strstr(one, "<title>worker;1\n"));
	free(both);
	free(one);
}

/* ---- allocations ---- */

/* Allocations without a known stack are exported, too, so that the sum is the total of the program. */
static void test_allocations(void **state)
{
	(void)state;
	assert_folded_of("alloc", "made;main;render 1000000\n"
				  "made;main;parse.constprop.0_[m] 500000\n"
				  "made;main;walk;walk 24\n"
				  "made;[no stack] 100\n");
	assert_folded_of("live", "made;main;parse.constprop.0_[m] 200000\n"
				 "made;main;walk;walk 24\n");
}

static void assert_shown(const char *what, const char *title, const char *frame)
{
	char *text = export_of(what, "flamegraph");

	assert_non_null(strstr(text, title));
	assert_non_null(strstr(text, frame));
	free(text);
}

static void test_allocations_shown(void **state)
{
	(void)state;
	assert_shown("alloc", ">made: 1.4 MB allocated, 20 blocks</text>",
		     "<title>render\n976.6 KB, 66.66%, 10 blocks\nmade</title>");
	assert_shown("live", ">made: 195.3 KB not freed, 3 blocks</text>",
		     "<title>walk\n24 B, 0.01%, 1 block\nmade</title>");
	/* Freed blocks are not drawn. */
	char *text = export_of("live", "flamegraph");
	assert_null(strstr(text, "<title>render\n"));
	free(text);
}

static void assert_speedscope(const char *what, const char *unit, int64_t total)
{
	char *text = export_of(what, "speedscope");
	struct json_object *file = json_tokener_parse(text);
	struct json_object *first = json_object_array_get_idx(member(file, "profiles"), 0);
	struct json_object *weights = member(first, "weights");
	int64_t sum = 0;

	for (size_t i = 0; i < json_object_array_length(weights); i++)
		sum += json_object_get_int64(json_object_array_get_idx(weights, i));
	assert_int_equal(sum, total);
	assert_int_equal(json_object_get_int64(member(first, "endValue")), total);
	assert_string_equal(json_object_get_string(member(first, "unit")), unit);
	json_object_put(file);
	free(text);
}

static void test_units(void **state)
{
	(void)state;
	assert_speedscope("alloc", "bytes", MADE_ALLOCATED);
	assert_speedscope("live", "bytes", MADE_LIVE);
	assert_speedscope("time", "nanoseconds", 12000000);
}

/* Nothing is written if all was freed, and it is another matter if that is not known. */
static void test_all_freed(void **state)
{
	(void)state;
	const struct hp_export_subject *live = hp_export_subject_find("live");
	struct hp_text text = HP_TEXT_INIT;

	for (size_t i = 0; i < made.model.allocations.stack_count; i++)
		made.alloc_stacks[i].memory.live_bytes = 0;
	made.model.memory.live_bytes = made.model.memory.live_blocks = 0;
	for (size_t i = 0; hp_export_formats[i]; i++)
		assert_false(hp_export_write(&made.model, live, hp_export_formats[i], &text));
	assert_int_equal(text.length, 0);
	assert_true(hp_export_subject_is_recorded(live, &made.model));
	made.model.memory.mode = HP_ALLOC_FREED;
	assert_false(hp_export_subject_is_recorded(live, &made.model));
}

/* ---- measured time ---- */

static void test_time(void **state)
{
	(void)state;
	assert_folded_of("time", "made;parse_[m] 4000000\n"
				 "made;parse_[m];read line_[m] 5000000\n"
				 "made;parse_[m];<other> 1000000\n"
				 "made;<other> 2000000\n");
	/* The calls of a function are its own. */
	assert_shown("time", ">made: 12.00 ms in measured functions, 63 calls</text>",
		     "<title>parse\n10.00 ms, 83.33%, 5 calls\nmeasured</title>");
}

/* A call in progress has no self time yet: its time is what its total has beyond those of its children. */
static void test_time_open(void **state)
{
	(void)state;
	made.branches[0].calls = made.branches[0].self_ns = 0;
	made.branches[0].open = 1;
	assert_folded_of("time", "made;parse_[m] 4000000\n"
				 "made;parse_[m];read line_[m] 5000000\n"
				 "made;parse_[m];<other> 1000000\n"
				 "made;<other> 2000000\n");
	assert_shown("time", "", "<title>parse\n10.00 ms, 83.33%, 1 call\nmeasured</title>");
}

/* Totals of recursive functions contain each other; self times do not. */
static void test_time_recursive(void **state)
{
	(void)state;
	made.branches[0].recursive = true;
	made.branches[1].total_ns = 9000000;
	made.branches[2].total_ns = 8000000;
	assert_speedscope("time", "nanoseconds", 12000000);
}

/* Functions of one name in two files are two. */
static void test_time_modules(void **state)
{
	(void)state;
	made.functions[0].module = (char *)(uintptr_t) "/none/bin/made";
	made.functions[1] = made.functions[0];
	made.functions[1].module = (char *)(uintptr_t) "/none/library.so";
	made.branches[1].parent = HP_NO_BRANCH;
	assert_folded_of("time", "made;parse_[m] 4000000\n"
				 "made;parse_[m] 5000000\n"
				 "made;parse_[m];<other> 1000000\n"
				 "made;<other> 2000000\n");
	made.model.has_tree = false;
	assert_false(hp_export_subject_is_recorded(hp_export_subject_find("time"), &made.model));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_folded, begin),
		cmocka_unit_test_setup(test_folded_hostile, begin),
		cmocka_unit_test_setup(test_merged, begin),
		cmocka_unit_test_setup(test_measured, begin),
		cmocka_unit_test_setup(test_ended, begin),
		cmocka_unit_test_setup(test_speedscope, begin),
		cmocka_unit_test_setup(test_flamegraph, begin),
		cmocka_unit_test_setup(test_rows, begin),
		cmocka_unit_test_setup(test_allocations, begin),
		cmocka_unit_test_setup(test_allocations_shown, begin),
		cmocka_unit_test_setup(test_units, begin),
		cmocka_unit_test_setup(test_all_freed, begin),
		cmocka_unit_test_setup(test_time, begin),
		cmocka_unit_test_setup(test_time_open, begin),
		cmocka_unit_test_setup(test_time_recursive, begin),
		cmocka_unit_test_setup(test_time_modules, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
