/* SPDX-License-Identifier: MIT */
/* Windows of a running program are compared per call: their lengths and the load make no difference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "comparison_by_hand.h"
#include "window_run.h"

#include <errno.h>

enum { WINDOWS = 8 };

static struct hp_comparison comparison;

static int set_up(void **state)
{
	(void)state;
	comparison = new_comparison();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	hp_comparison_clear(&comparison);
	return 0;
}

/* A second, and up to a third more or less. */
static uint64_t length_of(unsigned nth)
{
	return 1000000000 + (nth * 7 % WINDOWS) * 80000000;
}

/* A function that takes about so much time, with a little noise; a window has as many calls as it is long. */
static struct hp_function called(const char *name, unsigned nth, uint64_t calls_per_s, uint64_t ns)
{
	uint64_t calls = calls_per_s * length_of(nth) / 1000000000;
	uint64_t time = calls * (ns + ns * (nth * 3 % 5) / 1000);

	return (struct hp_function){ .name = (char *)name,
				     .file = (char *)"app.c",
				     .calls = calls,
				     .self_ns = time,
				     .total_ns = time,
				     .sum_ns = time,
				     .min_ns = ns,
				     .max_ns = ns * 2 };
}

static struct hp_model *add_window(struct hp_side *side, struct hp_model *model)
{
	unsigned nth = (unsigned)side->count;

	add_model(side, model);
	side->runs[nth].is_window = true;
	model->elapsed_ns = model->own_elapsed_ns = length_of(nth);
	model->exit = (struct hp_exit){ .running = true };
	model->pid = 7;
	model->start_unix_ns = 1;
	return model;
}

static void add_windows(struct hp_side *side, unsigned count, uint64_t load, uint64_t parse_ns)
{
	for (unsigned i = 0; i < count; i++) {
		struct hp_function functions[] = { called("parse", i, load, parse_ns),
						   called("store", i, load, 200000) };
		add_window(side, model_of(functions, 2));
	}
}

static void compare(void)
{
	assert_int_equal(hp_compare(&comparison), 0);
}

static const struct hp_compared_row *row(const char *name)
{
	const struct hp_compared_row *found = row_of(section_of(&comparison, &hp_subject_timing),
						     name, 0);

	assert_non_null(found);
	return found;
}

static const struct hp_compared_cell *cell(const char *name, const char *column)
{
	return cell_of(section_of(&comparison, &hp_subject_timing), row(name), column);
}

static void assert_judged(const char *name, enum hp_judged judged)
{
	assert_string_equal(hp_judged_name(row(name)->judged), hp_judged_name(judged));
}

static void lengths_make_no_difference(void **state)
{
	(void)state;
	add_windows(&comparison.base, WINDOWS, 1000, 100000);
	add_windows(&comparison.head, WINDOWS - 1, 1000, 100000);
	compare();
	assert_judged("parse", HP_JUDGED_SAME);
	assert_judged("store", HP_JUDGED_SAME);
	assert_false(row("parse")->has_changed || row("store")->has_changed);
	/* One process, of which nobody knows the end, is no reason for a note. */
	assert_int_equal(comparison.note_count, 0);
	assert_string_equal(cell("parse", "calls")->per, "second");
	assert_float_equal(cell("parse", "calls")->before_median, 1000, 2);
	assert_string_equal(cell("parse", "self")->per, "calls");
	assert_float_equal(cell("parse", "self")->before_median, 100200, 200);
	assert_null(cell("parse", "avg")->per);
	assert_null(cell("parse", "total"));
	assert_null(cell_of(comparison.sections, comparison.sections->rows, "elapsed"));
}

/* The same figures as runs, where each is a whole, do differ. */
static void runs_are_not_windows(void **state)
{
	(void)state;
	add_windows(&comparison.base, WINDOWS, 1000, 100000);
	add_windows(&comparison.head, WINDOWS, 2000, 100000);
	for (unsigned i = 0; i < WINDOWS; i++)
		comparison.base.runs[i].is_window = comparison.head.runs[i].is_window = false;
	compare();
	assert_judged("parse", HP_JUDGED_SLOWER);
	assert_null(cell("parse", "self")->per);
}

static void load_is_no_change(void **state)
{
	(void)state;
	add_windows(&comparison.base, WINDOWS, 1000, 100000);
	add_windows(&comparison.head, WINDOWS, 2000, 100000);
	compare();
	assert_judged("parse", HP_JUDGED_SAME);
	assert_false(row("parse")->has_changed);
	assert_int_equal(cell("parse", "calls")->judged, HP_JUDGED_NOT);
	assert_float_equal(cell("parse", "calls")->after_median, 2000, 4);
	assert_int_equal(comparison.note_count, 1);
	assert_non_null(strstr(comparison.notes[0], "the load has changed"));
}

static void what_takes_longer_is_found(void **state)
{
	(void)state;
	add_windows(&comparison.base, WINDOWS, 1000, 100000);
	add_windows(&comparison.head, WINDOWS, 1000, 110000);
	compare();
	assert_judged("parse", HP_JUDGED_SLOWER);
	assert_judged("store", HP_JUDGED_SAME);
	assert_float_equal(cell("parse", "self")->ratio.estimate, 1.1, 0.01);
	assert_true(hp_compare_fails(&comparison));
}

/* Whatever the difference: more windows come by themselves. */
static void few_windows_tell_nothing(void **state)
{
	(void)state;
	add_windows(&comparison.base, 3, 1000, 1000000);
	add_windows(&comparison.head, 3, 1000, 900000000);
	compare();
	assert_judged("parse", HP_JUDGED_UNCLEAR);
	assert_true(comparison.runs_needed > 3);
}

/* A window without a call says nothing of the time of one. */
static void no_calls_are_no_time(void **state)
{
	(void)state;
	add_windows(&comparison.base, WINDOWS, 1000, 100000);
	add_windows(&comparison.head, WINDOWS, 1000, 100000);
	comparison.head.runs[2].report.model->functions[0] = (struct hp_function){
		.name = comparison.head.runs[2].report.model->functions[0].name,
		.file = comparison.head.runs[2].report.model->functions[0].file
	};
	compare();
	assert_true(isnan(cell("parse", "self")->after[2]));
	assert_true(cell("parse", "calls")->after[2] == 0);
	assert_judged("parse", HP_JUDGED_SAME);
}

/* What happens now and then is in windows of one side by chance. */
static void seldom_is_not_new(void **state)
{
	(void)state;
	for (unsigned i = 0; i < WINDOWS; i++) {
		struct hp_function functions[] = { called("parse", i, 1000, 100000),
						   called("added", i, 1000, 100000),
						   called("seldom", i, 1000, 100000) };
		add_window(&comparison.base, model_of(functions, 1));
		add_window(&comparison.head, model_of(functions, i < WINDOWS / 2 ? 3 : 2));
	}
	compare();
	assert_int_equal(row("added")->presence, HP_NEW);
	assert_true(row("added")->has_changed);
	assert_int_equal(row("seldom")->presence, HP_PRESENT);
	assert_false(row("seldom")->has_changed);
}

/* A count that is the same in all windows which have it needs many of those, too. */
static void few_counts_tell_nothing(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2 * WINDOWS; i++) {
		bool is_base = i < WINDOWS;
		struct hp_function functions[] = { called("always", 0, 10, 50000000),
						   called("seldom", 0, 10, 50000000) };
		functions[0].alloc.count = functions[0].alloc.bytes = is_base ? 20 : 30;
		functions[1].alloc.count = functions[1].alloc.bytes = is_base ? 20 : 30;
		struct hp_model *model = add_window(is_base ? &comparison.base : &comparison.head,
						    model_of(functions, i % 2 ? 1 : 2));
		model->memory.mode = HP_ALLOC_COUNT;
		model->memory.count = model->memory.bytes = 60;
	}
	compare();
	const struct hp_compared_section *section = section_of(&comparison, &hp_subject_alloc);
	assert_int_equal(row_of(section, "always", 0)->judged, HP_JUDGED_MORE);
	assert_int_equal(row_of(section, "seldom", 0)->judged, HP_JUDGED_UNCLEAR);
}

/* Without measured functions, there are no calls to divide by. */
static void samples_are_per_second(void **state)
{
	struct hp_function function = { .name = (char *)"hash", .file = (char *)"app.c" };

	(void)state;
	for (unsigned i = 0; i < 2 * WINDOWS; i++) {
		struct hp_side *side = i < WINDOWS ? &comparison.base : &comparison.head;
		function.cpu.samples = length_of(i % WINDOWS) / 1000000;
		struct hp_model *model = add_window(side, model_of(&function, 1));
		model->cpu = (struct hp_cpu){ .source = HP_CPU_PERF,
					      .period_ns = 500000,
					      .looks = function.cpu.samples,
					      .total_samples = function.cpu.samples };
	}
	compare();
	const struct hp_compared_section *section = section_of(&comparison, &hp_subject_cpu);
	const struct hp_compared_row *found = row_of(section, "hash", 0);
	assert_non_null(found);
	assert_int_equal(found->judged, HP_JUDGED_SAME);
	assert_string_equal(cell_of(section, found, "cpu_self")->per, "second");
	assert_float_equal(cell_of(section, found, "cpu_self")->after_median, 5e8, 1e6);
	assert_non_null(strstr(comparison.notes[0], "no calls are counted"));
}

/* ---- a window of two reads ---- */

static struct hp_model *read_at(uint64_t elapsed_ns, uint64_t parsed, uint64_t stored)
{
	struct hp_function functions[] = { CALLED("parse", "app.c", 3, parsed),
					   CALLED("store", "app.c", 9, stored) };
	struct hp_model *model = model_of(functions, 2);

	model->elapsed_ns = model->own_elapsed_ns = elapsed_ns;
	model->functions[0].times = (struct hp_points){ calloc(2, sizeof(struct hp_point)), 2 };
	model->functions[0].times.items[0] = (struct hp_point){ 100, parsed / 2 };
	model->functions[0].times.items[1] = (struct hp_point){ 1000, parsed - parsed / 2 };
	model->functions[0].max_ns = 1000;
	return model;
}

/* Two threads, of which one has ended. */
static void add_threads(struct hp_model *model, uint64_t user_ns)
{
	static const struct hp_thread threads[] = {
		{ .tid = 7, .state = HP_THREAD_SLEEPING, .threads = 1, .has_times = true },
		{ .tid = 8, .state = HP_THREAD_ENDED, .threads = 1, .has_times = true },
	};

	for (size_t i = 0; i < 2; i++) {
		struct hp_thread thread = threads[i];
		thread.name = strdup(i ? "short" : "long");
		thread.user_ns = user_ns;
		assert_true(hp_threads_append(&model->threads, thread));
	}
}

static void a_window_has_what_is_compared(void **state)
{
	struct hp_model *then = read_at(1000000000, 100, 50), *now = read_at(3000000000, 300, 50);
	struct hp_error error = { "" };
	struct hp_run run;

	(void)state;
	add_threads(then, 1000);
	add_threads(now, 1500);
	struct hp_earlier earlier;
	assert_true(hp_earlier_take(&earlier, then));
	assert_int_equal(hp_window_run(&run, now, &earlier, 4, &error), 0);
	assert_string_equal(run.label, "window 4");
	assert_true(run.is_window);
	const struct hp_model *model = run.report.model;
	assert_int_equal(model->elapsed_ns, 2000000000);
	/* Nothing happened in the other function. */
	assert_int_equal(model->function_count, 1);
	assert_int_equal(model->functions[0].calls, 200);
	assert_int_equal(model->functions[0].times.count, 1);
	assert_int_equal(hp_function_percentile(&model->functions[0], 95), 1000);
	/* What a thread that has ended did is known, and not that it was there. */
	assert_int_equal(model->threads.count, 1);
	assert_string_equal(model->threads.items[0].name, "long");
	assert_int_equal(model->threads.rest.threads, 0);
	assert_int_equal(hp_threads_cpu_ns(&model->threads), 1000);
	assert_true(hp_run_knows_percentile(&run, 95));
	assert_false(hp_run_knows_percentile(&run, 50));
	struct hp_side side = { 0 };
	assert_true(hp_side_append(&side, run));
	hp_side_clear(&side);
	hp_earlier_clear(&earlier);
	hp_model_free(now);
}

static void an_idle_window_is_none(void **state)
{
	struct hp_model *then = read_at(1000000000, 100, 50), *now = read_at(3000000000, 100, 50);
	struct hp_error error = { "" };
	struct hp_run run;

	(void)state;
	struct hp_earlier earlier;
	assert_true(hp_earlier_take(&earlier, then));
	assert_int_equal(hp_window_run(&run, now, &earlier, 1, &error), -ENODATA);
	assert_string_equal(error.text, "no measured function was called");
	now->pid = 8;
	assert_int_equal(hp_window_run(&run, now, &earlier, 1, &error), -EINVAL);
	assert_non_null(strstr(error.text, "it was started again"));
	hp_earlier_clear(&earlier);
	hp_model_free(now);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(lengths_make_no_difference), TEST(runs_are_not_windows),
		TEST(load_is_no_change),	  TEST(what_takes_longer_is_found),
		TEST(few_windows_tell_nothing),	  TEST(no_calls_are_no_time),
		TEST(seldom_is_not_new),	  TEST(few_counts_tell_nothing),
		TEST(samples_are_per_second),	  TEST(a_window_has_what_is_compared),
		TEST(an_idle_window_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
