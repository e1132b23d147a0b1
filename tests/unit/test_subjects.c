/* SPDX-License-Identifier: MIT */
/* What is compared: the tables of subjects, and which figures are known of what. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "comparison_by_hand.h"
#include "made_entry.h"

static double value_at(const struct hp_subject *subject, const char *name, const struct hp_run *run,
		       size_t at, double percent)
{
	const struct hp_metric *metric = subject->metrics;

	while (metric->name && strcmp(metric->name, name) != 0)
		metric++;
	assert_non_null(metric->name);
	return hp_metric_value(metric, run, at, percent);
}

static double value_of(const struct hp_subject *subject, const char *name, struct hp_model *model,
		       size_t at)
{
	struct hp_run run = { .report = { .model = model, .complete = true } };

	return value_at(subject, name, &run, at, 95);
}

static struct hp_subject_row get(const struct hp_subject *subject, const struct hp_model *model,
				 size_t at)
{
	struct hp_subject_row row = { .name = NULL };

	assert_true(hp_subject_get(subject, model, at, &row));
	return row;
}

/* ---- tables ---- */

static void subjects_are_whole(void **state)
{
	(void)state;
	assert_ptr_equal(hp_subjects[0], &hp_subject_program);
	for (size_t i = 0; hp_subjects[i]; i++) {
		const struct hp_subject *subject = hp_subjects[i];
		assert_non_null(subject->name);
		assert_non_null(subject->title);
		assert_non_null(subject->noun);
		/* A kind takes the place of the functions. */
		assert_true(subject->kind || subject->is_recorded);
		assert_true(subject->kind || subject->count);
		assert_true(subject->kind || subject->get);
		assert_true(i < 32);
		for (size_t j = 0; j < i; j++) {
			assert_string_not_equal(subject->name, hp_subjects[j]->name);
			assert_string_not_equal(subject->title, hp_subjects[j]->title);
		}
	}
}

static void metrics_are_whole(void **state)
{
	(void)state;
	for (size_t i = 0; hp_subjects[i]; i++) {
		size_t deciding = 0;
		assert_non_null(hp_subjects[i]->metrics[0].name);
		for (const struct hp_metric *m = hp_subjects[i]->metrics; m->name; m++) {
			assert_true(m->field || m->value);
			assert_non_null(m->header);
			assert_true(m->is_percentile || m->header[0]);
			/* "p99.9999" must have room behind it. */
			assert_true(strlen(m->name) + (m->is_percentile ? 20 : 0) < 32);
			assert_true(strlen(m->header) < 32);
			assert_true(!m->decides || (m->kind == HP_COMPARED_TIME && m->rank == 0));
			assert_true(!m->decides || !m->is_neutral);
			deciding += m->decides;
		}
		assert_true(deciding <= 1);
	}
}

static void metric_names_are_unique(void **state)
{
	const char *names[128];
	size_t count = 0;

	(void)state;
	for (size_t i = 0; hp_subjects[i]; i++)
		for (const struct hp_metric *m = hp_subjects[i]->metrics; m->name; m++) {
			assert_true(count < 128);
			names[count++] = m->name;
		}
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(names[i], names[j]);
}

/* ---- the program ---- */

static void program_knows_what_was_recorded(void **state)
{
	struct hp_thread threads[] = { { .has_times = true, .user_ns = 5, .system_ns = 2 },
				       { .has_times = false, .user_ns = 100 } };
	struct hp_model model = { .elapsed_ns = 7 };

	(void)state;
	assert_true(value_of(&hp_subject_program, "elapsed", &model, 0) == 7);
	assert_true(isnan(value_of(&hp_subject_program, "cpu", &model, 0)));
	assert_true(isnan(value_of(&hp_subject_program, "peak_rss", &model, 0)));
	assert_true(isnan(value_of(&hp_subject_program, "program_alloc_count", &model, 0)));
	assert_true(isnan(value_of(&hp_subject_program, "program_live_blocks", &model, 0)));

	model.threads.items = threads;
	model.threads.count = 2;
	model.threads.rest = (struct hp_thread){ .has_times = true, .user_ns = 3 };
	model.memory = (struct hp_memory){ .mode = HP_ALLOC_LIVE,
					   .count = 4,
					   .bytes = 64,
					   .live_blocks = 2,
					   .live_bytes = 32,
					   .peak_bytes = 48,
					   .peak_rss_bytes = 4096 };
	assert_true(value_of(&hp_subject_program, "cpu", &model, 0) == 10);
	assert_true(value_of(&hp_subject_program, "peak_rss", &model, 0) == 4096);
	assert_true(value_of(&hp_subject_program, "program_alloc_count", &model, 0) == 4);
	assert_true(value_of(&hp_subject_program, "program_alloc_bytes", &model, 0) == 64);
	assert_true(value_of(&hp_subject_program, "program_live_blocks", &model, 0) == 2);
	assert_true(value_of(&hp_subject_program, "peak_heap", &model, 0) == 48);
}

/* A report of live blocks or threads alone says that allocations were recorded, not how many. */
static void allocations_are_not_known_from_other_sections(void **state)
{
	struct hp_comparison comparison = new_comparison();
	struct hp_saved *saved = add_report(
		&comparison.base, "{\"type\":\"hotpath_report\",\"schema\":1,\"elapsed_ns\":5,"
				  "\"threads\":{\"allocated_bytes\":64,\"data\":[]}}");

	(void)state;
	assert_int_equal(saved->model->memory.mode, HP_ALLOC_COUNT);
	assert_false(hp_subject_is_recorded(&hp_subject_alloc, saved->model));
	assert_true(isnan(value_of(&hp_subject_program, "program_alloc_count", saved->model, 0)));
	hp_comparison_clear(&comparison);
}

/* ---- functions ---- */

static void timing_has_what_was_timed(void **state)
{
	struct hp_function functions[] = {
		CALLED("work", "a.c", 3, 10),
		/* Known from its allocations alone. */
		{ .name = (char[]){ "other" }, .calls = 5, .alloc.count = 5 },
		{ .name = (char[]){ "idle" } },
	};
	struct hp_model model = { .functions = functions, .function_count = 3, .elapsed_ns = 4000 };
	struct hp_subject_row row = { .name = NULL };

	(void)state;
	assert_true(hp_subject_is_recorded(&hp_subject_timing, &model));
	assert_true(get(&hp_subject_timing, &model, 0).share == 25);
	assert_false(hp_subject_get(&hp_subject_timing, &model, 1, &row));
	assert_false(hp_subject_get(&hp_subject_timing, &model, 2, &row));
	assert_true(value_of(&hp_subject_timing, "calls", &model, 0) == 10);
	assert_true(value_of(&hp_subject_timing, "avg", &model, 0) == 100);
	model.functions = &functions[1];
	model.function_count = 1;
	assert_false(hp_subject_is_recorded(&hp_subject_timing, &model));
}

/* The mean is not rounded: half a nanosecond of two is much. */
static void means_are_not_rounded(void **state)
{
	struct hp_function function = { .name = (char[]){ "f" }, .calls = 2, .sum_ns = 5 };
	struct hp_model model = { .functions = &function, .function_count = 1 };

	(void)state;
	assert_true(value_of(&hp_subject_timing, "avg", &model, 0) == 2.5);
	function.calls = 0;
	function.open = 1;
	assert_true(isnan(value_of(&hp_subject_timing, "avg", &model, 0)));
	assert_true(isnan(value_of(&hp_subject_timing, "max", &model, 0)));
	assert_true(isnan(value_of(&hp_subject_timing, "", &model, 0)));
}

static void percentiles_are_those_of_the_report(void **state)
{
	struct hp_comparison comparison = new_comparison();
	add_report(&comparison.base,
		   "{\"type\":\"hotpath_report\",\"schema\":1,\"functions_timing\":{"
		   "\"percentiles\":[50],\"data\":[{\"name\":\"f\",\"calls\":4,\"sum_ns\":40,"
		   "\"self_ns\":40,\"total_ns\":40,\"max_ns\":20,\"p50_ns\":8}]}}");
	const struct hp_run *run = &comparison.base.runs[0];

	(void)state;
	assert_true(value_at(&hp_subject_timing, "", run, 0, 50) == 8);
	assert_true(isnan(value_at(&hp_subject_timing, "", run, 0, 95)));
	assert_true(value_at(&hp_subject_timing, "", run, 0, 100) == 20);
	hp_comparison_clear(&comparison);
}

/* However it is measured, a function is the same; a block of its name is another thing. */
static void kinds_are_what_is_measured(void **state)
{
	struct hp_function functions[] = { CALLED("f", NULL, 0, 1), CALLED("f", NULL, 0, 1),
					   CALLED("f", NULL, 0, 1) };
	struct hp_model model = { .functions = functions, .function_count = 3 };

	(void)state;
	functions[0].kind = HP_SITE_FUNCTION;
	functions[1].kind = HP_SITE_ADDRESS;
	functions[2].kind = HP_SITE_BLOCK;
	unsigned kind = get(&hp_subject_timing, &model, 0).kind;
	assert_int_equal(get(&hp_subject_timing, &model, 1).kind, kind);
	assert_int_not_equal(get(&hp_subject_timing, &model, 2).kind, kind);
}

/* The share of a function that was timed in part is not known: it may be large. */
static void timed_in_part(void **state)
{
	struct hp_function functions[] = { CALLED("f", NULL, 0, 1), CALLED("g", NULL, 0, 1) };
	struct hp_model model = { .functions = functions, .function_count = 2, .elapsed_ns = 100 };

	(void)state;
	functions[1].measured = HP_MEASURED_PARTLY;
	assert_true(get(&hp_subject_timing, &model, 0).share >= 0);
	assert_true(get(&hp_subject_timing, &model, 1).share < 0);
}

static void alloc_has_what_was_called(void **state)
{
	struct hp_function functions[] = {
		{ .name = (char[]){ "f" }, .calls = 5, .alloc = { .count = 3, .bytes = 10 } },
		CALLED("calm", NULL, 0, 1),
		{ .name = (char[]){ "app" }, .is_caller = true, .alloc.count = 1 },
		{ .name = (char[]){ "unseen" } },
	};
	struct hp_model model = { .functions = functions,
				  .function_count = 4,
				  .memory = { .mode = HP_ALLOC_COUNT, .count = 4, .bytes = 100 } };
	struct hp_subject_row row = { .name = NULL };
	struct hp_run cut = { .report = { .model = &model, .is_cut = true } };

	(void)state;
	assert_true(hp_subject_is_recorded(&hp_subject_alloc, &model));
	assert_true(get(&hp_subject_alloc, &model, 0).share == 75);
	assert_true(get(&hp_subject_alloc, &model, 1).share == 0);
	assert_true(get(&hp_subject_alloc, &model, 2).is_program);
	assert_false(hp_subject_get(&hp_subject_alloc, &model, 3, &row));
	assert_true(value_of(&hp_subject_alloc, "alloc_count", &model, 1) == 0);
	assert_true(isnan(value_at(&hp_subject_alloc, "alloc_count", &cut, 1, 0)));
	assert_true(value_at(&hp_subject_alloc, "alloc_count", &cut, 0, 0) == 3);
}

static void cpu_has_all_of_it(void **state)
{
	struct hp_function function = CALLED("f", NULL, 0, 1);
	struct hp_model model = { .functions = &function,
				  .function_count = 1,
				  .cpu = { .source = HP_CPU_PERF,
					   .period_ns = 1000,
					   .total_samples = 10,
					   .attributed_samples = 6 } };

	(void)state;
	function.cpu = (struct hp_cpu_figures){ 5, 6, 0 };
	assert_int_equal(hp_subject_count(&hp_subject_cpu, &model), 2);
	assert_true(get(&hp_subject_cpu, &model, 0).share == 50);
	assert_string_equal(get(&hp_subject_cpu, &model, 1).name, "<outside>");
	assert_true(value_of(&hp_subject_cpu, "cpu_self", &model, 0) == 5000);
	assert_true(value_of(&hp_subject_cpu, "cpu_total", &model, 0) == 6000);
	assert_true(value_of(&hp_subject_cpu, "cpu_self", &model, 1) == 4000);
	assert_true(isnan(value_of(&hp_subject_cpu, "cpu_alloc", &model, 0)));
}

/* Where nothing is measured, the rows are the program's own functions. */
static void cpu_of_what_is_not_measured(void **state)
{
	struct hp_model *model = model_of(NULL, 0);
	struct hp_cpu_frame frames[] = {
		{ HP_FRAME_CODE, HP_CPU_NOT_KNOWN, 1, false, -1, (char[]){ "inner" } },
		{ HP_FRAME_CODE, HP_CPU_NOT_KNOWN, 9, false, -1, (char[]){ "outer" } },
	};
	struct hp_cpu_stack stack = { 0, 2, 7, true, (uint32_t[]){ 0, 1 } };

	(void)state;
	model->cpu = (struct hp_cpu){ .source = HP_CPU_TIMER,
				      .period_ns = 10,
				      .total_samples = 10,
				      .frames = frames,
				      .frame_count = 2,
				      .stacks = &stack,
				      .stack_count = 1 };
	assert_int_equal(hp_subject_cpu.prepare(model), 0);
	assert_int_equal(hp_subject_count(&hp_subject_cpu, model), 3);
	assert_string_equal(get(&hp_subject_cpu, model, 0).name, "inner");
	assert_true(value_of(&hp_subject_cpu, "cpu_self", model, 0) == 70);
	assert_true(value_of(&hp_subject_cpu, "cpu_self", model, 1) == 0);
	assert_true(value_of(&hp_subject_cpu, "cpu_total", model, 1) == 70);
	assert_string_equal(get(&hp_subject_cpu, model, 2).name, "<no stack>");
	assert_true(value_of(&hp_subject_cpu, "cpu_self", model, 2) == 30);
	/* Once is enough. */
	assert_int_equal(hp_subject_cpu.prepare(model), 0);
	assert_int_equal(hp_subject_count(&hp_subject_cpu, model), 3);
	assert_false(hp_subject_is_recorded(&hp_subject_timing, model));
	model->cpu = (struct hp_cpu){ .source = HP_CPU_NONE };
	hp_model_free(model);
}

/* ---- the call tree ---- */

static void branches_are_ways(void **state)
{
	struct hp_function functions[] = { CALLED("main", "a.c", 1, 1),
					   CALLED("parse", "a.c", 2, 5) };
	struct hp_branch branches[] = {
		{ HP_NO_BRANCH, 0, 0, 1, 0, 100, 10, false },
		{ 0, 1, 1, 5, 0, 90, 80, false },
		{ 1, HP_NO_FUNCTION, 2, 3, 0, 10, 10, false },
	};
	struct hp_model model = { .functions = functions,
				  .function_count = 2,
				  .elapsed_ns = 100,
				  .has_tree = true,
				  .branches = branches,
				  .branch_count = 3 };

	(void)state;
	struct hp_subject_row row = { .name = NULL };
	assert_true(hp_subject_get(&hp_subject_tree, &model, 0, &row));
	assert_string_equal(row.name, "main");
	assert_true(hp_subject_get(&hp_subject_tree, &model, 1, &row));
	assert_string_equal(row.name, "main > parse");
	assert_true(row.share == 80);
	assert_int_equal(row.line, 2);
	assert_true(hp_subject_get(&hp_subject_tree, &model, 2, &row));
	assert_string_equal(row.name, "main > parse > <other>");
	assert_true(value_of(&hp_subject_tree, "branch_calls", &model, 1) == 5);
}

/* Ways that are too long keep their end; two that look alike then are still two. */
static void long_ways_are_told_apart(void **state)
{
	static char first[400], second[400], huge[2000];
	struct hp_function functions[] = { CALLED(first, NULL, 0, 1), CALLED(second, NULL, 0, 1),
					   CALLED("leaf", NULL, 0, 1), CALLED(huge, NULL, 0, 1) };
	struct hp_branch branches[] = {
		{ HP_NO_BRANCH, 0, 0, 1, 0, 9, 1, false },
		{ HP_NO_BRANCH, 1, 0, 1, 0, 9, 1, false },
		{ 0, 1, 1, 1, 0, 9, 1, false },
		{ 1, 1, 1, 1, 0, 9, 1, false },
		{ 2, 2, 2, 1, 0, 9, 1, false },
		{ 3, 2, 2, 1, 0, 9, 1, false },
		{ 0, 3, 1, 1, 0, 9, 1, false },
	};
	struct hp_model model = { .functions = functions,
				  .function_count = 4,
				  .has_tree = true,
				  .branches = branches,
				  .branch_count = 7 };
	struct hp_subject_row a = { .name = NULL }, b = { .name = NULL };

	(void)state;
	memset(first, 'a', sizeof(first) - 1);
	memset(second, 'b', sizeof(second) - 1);
	memset(huge, 'c', sizeof(huge) - 1);
	assert_true(hp_subject_get(&hp_subject_tree, &model, 4, &a));
	assert_true(hp_subject_get(&hp_subject_tree, &model, 5, &b));
	assert_string_equal(a.name, b.name);
	assert_true(strncmp(a.name, "\xe2\x80\xa6 > bbb", 9) == 0);
	assert_string_equal(a.name + strlen(a.name) - 7, " > leaf");
	assert_int_not_equal(a.kind, b.kind);
	assert_true(hp_subject_get(&hp_subject_tree, &model, 6, &a));
	assert_int_equal(strlen(a.name), sizeof(a.text) - 1);
}

/* ---- memory and threads ---- */

static void places_have_files(void **state)
{
	struct hp_live live[] = {
		{ .name = (char[]){ "f" }, .location = (char[]){ "src/a.c:33" }, .bytes = 1 },
		{ .name = (char[]){ "g" },
		  .location = (char[]){ "libx.so.6+0x6f (std::f)" },
		  .blocks = 1 },
		{ .name = (char[]){ "h" }, .location = (char[]){ "app+0x12" }, .blocks = 1 },
		{ .name = (char[]){ "i" }, .blocks = 1 },
		{ .name = (char[]){ "gone" }, .peak_bytes = 70 },
	};
	struct hp_model model = {
		.program = (char[]){ "app" },
		.memory = { .mode = HP_ALLOC_LIVE, .live = live, .live_count = 5, .peak_bytes = 70 }
	};
	struct hp_subject_row row = { .name = NULL };

	(void)state;
	assert_true(hp_subject_is_recorded(subject_of("live"), &model));
	assert_true(hp_subject_get(subject_of("live"), &model, 0, &row));
	assert_string_equal(row.file, "src/a.c");
	assert_int_equal(row.line, 33);
	row = (struct hp_subject_row){ .name = NULL };
	assert_true(hp_subject_get(subject_of("live"), &model, 1, &row));
	assert_null(row.file);
	assert_string_equal(row.module, "libx.so.6");
	row = (struct hp_subject_row){ .name = NULL };
	assert_true(hp_subject_get(subject_of("live"), &model, 2, &row));
	assert_null(row.module);
	assert_null(get(subject_of("live"), &model, 3).file);
	assert_false(hp_subject_get(subject_of("live"), &model, 4, &row));
}

static void threads_that_nobody_named(void **state)
{
	struct hp_thread threads[] = {
		{ .name = (char[]){ "a_program_with_" }, .threads = 1 },
		{ .name = (char[]){ "worker" }, .threads = 1, .allocated_bytes = 7 },
	};
	struct hp_model model = { .program = (char[]){ "a_program_with_a_long_name" },
				  .threads = { .items = threads, .count = 2 } };
	struct hp_subject_row row = { .name = NULL };

	(void)state;
	assert_true(get(subject_of("threads"), &model, 0).is_program);
	assert_false(get(subject_of("threads"), &model, 1).is_program);
	assert_false(hp_subject_get(subject_of("threads"), &model, 2, &row));
	model.threads.rest.threads = 3;
	assert_string_equal(get(subject_of("threads"), &model, 2).name, "<ended>");
	assert_true(value_of(subject_of("threads"), "threads", &model, 2) == 3);
	assert_true(isnan(value_of(subject_of("threads"), "thread_cpu", &model, 0)));
	assert_true(isnan(value_of(subject_of("threads"), "thread_alloc_bytes", &model, 1)));
	model.memory.mode = HP_ALLOC_COUNT;
	assert_true(value_of(subject_of("threads"), "thread_alloc_bytes", &model, 1) == 7);
}

/* ---- data flow ---- */

/* A row belongs to the sections that show it, and to no other. */
static void entries_have_their_subjects(void **state)
{
	static const char *const names[] = { "channels", "channels-latency",
					     "streams",	 "futures",
					     "loops",	 "debug" };
	const struct {
		enum hp_site_kind kind;
		unsigned subjects;
	} expected[] = { { HP_SITE_CHANNEL, 3 }, { HP_SITE_STREAM, 4 }, { HP_SITE_FUTURE, 8 },
			 { HP_SITE_LOOP, 16 },	 { HP_SITE_DBG, 32 },	{ HP_SITE_VAL, 32 },
			 { HP_SITE_GAUGE, 32 } };

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		struct hp_entry entry = made_entry(expected[i].kind, "x");
		struct hp_model model = { .entries = { &entry, 1 } };
		entry.times[0] = (struct hp_times){ .count = 1, .sum_ns = 5 };
		for (unsigned j = 0; j < 6; j++) {
			const struct hp_subject *subject = subject_of(names[j]);
			struct hp_subject_row row = { .name = NULL };
			bool has = expected[i].subjects >> j & 1;
			assert_int_equal(hp_subject_is_recorded(subject, &model), has);
			assert_int_equal(hp_subject_get(subject, &model, 0, &row), has);
		}
	}
}

static void futures_have_their_figures(void **state)
{
	const struct hp_subject *futures = subject_of("futures");
	struct hp_entry entry = made_entry(HP_SITE_FUTURE, "x");
	struct hp_model model = { .entries = { &entry, 1 } };

	(void)state;
	PUT(&entry, { "call_count", 4 }, { "total_polls", 8 }, { "total_poll_duration_ns", 20 },
	    { "total_poll_alloc_bytes", 64 });
	entry.times[0] = (struct hp_times){ .count = 2, .sum_ns = 5, .max_ns = 4 };
	assert_true(value_of(futures, "futures", &model, 0) == 4);
	assert_true(value_of(futures, "polls", &model, 0) == 8);
	assert_true(value_of(futures, "poll_avg", &model, 0) == 2.5);
	assert_true(value_of(futures, "lifetime_avg", &model, 0) == 2.5);
	assert_true(isnan(value_of(futures, "poll_alloc_bytes", &model, 0)));
	model.memory.mode = HP_ALLOC_COUNT;
	assert_true(value_of(futures, "poll_alloc_bytes", &model, 0) == 64);
	assert_true(isnan(value_of(futures, "queue_avg", &model, 0)));
	put_figure(&entry, "total_queue_ns", 7);
	assert_true(value_of(futures, "queue_avg", &model, 0) == 3.5);
}

static void channels_and_streams_have_their_figures(void **state)
{
	struct hp_entry entries[] = { made_entry(HP_SITE_CHANNEL, "x"),
				      made_entry(HP_SITE_STREAM, "x") };
	struct hp_model model = { .entries = { entries, 2 } };

	(void)state;
	entries[0].times[0] = (struct hp_times){ .count = 2, .sum_ns = 5, .max_ns = 4 };
	put_figure(&entries[1], "items_yielded", 9);
	assert_true(value_of(subject_of("channels-latency"), "latency_max", &model, 0) == 4);
	assert_true(isnan(value_of(subject_of("channels"), "waited", &model, 0)));
	assert_true(value_of(subject_of("streams"), "items", &model, 1) == 9);
}

static uint64_t bits_of(double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

static void values_are_numbers_or_not_known(void **state)
{
	const struct hp_subject *debug = subject_of("debug");
	struct hp_entry entry = made_entry(HP_SITE_VAL, "x");
	struct hp_model model = { .entries = { &entry, 1 } };

	(void)state;
	put_figure(&entry, "log_count", 1);
	put_value(&entry, HP_VALUE_INT, (uint64_t)-5);
	assert_true(value_of(debug, "value", &model, 0) == -5);
	assert_true(isnan(value_of(debug, "value_min", &model, 0)));
	put_figure(&entry, "value_kind", HP_VALUE_STRING);
	assert_true(isnan(value_of(debug, "value", &model, 0)));
	entry.site_kind = HP_SITE_GAUGE;
	put_real(&entry, "min", -3);
	put_value(&entry, HP_VALUE_DOUBLE, bits_of(-2.5));
	assert_true(value_of(debug, "value", &model, 0) == -2.5);
	assert_true(value_of(debug, "value_min", &model, 0) == -3);
	put_value(&entry, HP_VALUE_DOUBLE, bits_of(INFINITY));
	assert_true(isnan(value_of(debug, "value", &model, 0)));
	put_figure(&entry, "log_count", 0);
	assert_true(isnan(value_of(debug, "value_min", &model, 0)));
}

/* A lock for readers and writers is two rows, which are called what they are. */
static void readers_and_writers(void **state)
{
	static const enum hp_site_kind kinds[] = { HP_SITE_READ_LOCK, HP_SITE_WRITE_LOCK,
						   HP_SITE_MUTEX };
	static const char *const names[] = { "table, rwlock read", "table, rwlock write", "table" };
	struct hp_entry entries[3];
	struct hp_model model = { .entries = { entries, 3 } };
	struct hp_subject_row row;

	(void)state;
	for (size_t i = 0; i < 3; i++)
		entries[i] = (struct hp_entry){ .kind = &hp_kind_locks,
						.site_kind = kinds[i],
						.name = (char *)"table" };
	for (size_t i = 0; i < 3; i++) {
		assert_true(hp_subject_get(subject_of("locks"), &model, i, &row));
		assert_string_equal(row.name, names[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(subjects_are_whole),
		cmocka_unit_test(metrics_are_whole),
		cmocka_unit_test(metric_names_are_unique),
		cmocka_unit_test(readers_and_writers),
		cmocka_unit_test(program_knows_what_was_recorded),
		cmocka_unit_test(allocations_are_not_known_from_other_sections),
		cmocka_unit_test(timing_has_what_was_timed),
		cmocka_unit_test(means_are_not_rounded),
		cmocka_unit_test(percentiles_are_those_of_the_report),
		cmocka_unit_test(kinds_are_what_is_measured),
		cmocka_unit_test(timed_in_part),
		cmocka_unit_test(alloc_has_what_was_called),
		cmocka_unit_test(cpu_has_all_of_it),
		cmocka_unit_test(cpu_of_what_is_not_measured),
		cmocka_unit_test(branches_are_ways),
		cmocka_unit_test(long_ways_are_told_apart),
		cmocka_unit_test(places_have_files),
		cmocka_unit_test(threads_that_nobody_named),
		cmocka_unit_test(entries_have_their_subjects),
		cmocka_unit_test(futures_have_their_figures),
		cmocka_unit_test(channels_and_streams_have_their_figures),
		cmocka_unit_test(values_are_numbers_or_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
