/* SPDX-License-Identifier: MIT */
/* Percentiles are within 1 % of the truth, and models merge into one. */
#include "model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SAMPLES = 20000 };

static uint64_t next_random(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *seed >> 11;
}

static int compare(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/* As the reader does it: one point for each used bucket. */
static struct hp_function function_of(const uint64_t *sorted, size_t count)
{
	struct hp_function function = { .calls = count,
					.min_ns = sorted[0],
					.max_ns = sorted[count - 1],
					.times.items = calloc(count, sizeof(struct hp_point)) };

	for (size_t i = 0; i < count; i++) {
		uint64_t value = hp_bucket_middle(hp_bucket(sorted[i]));
		struct hp_point *last = &function.times.items[function.times.count];

		function.sum_ns += sorted[i];
		if (function.times.count && last[-1].value == value)
			last[-1].count++;
		else
			function.times.items[function.times.count++] = (struct hp_point){ value,
											  1 };
	}
	return function;
}

static void assert_within_a_percent(uint64_t value, uint64_t truth)
{
	uint64_t error = value > truth ? value - truth : truth - value;

	if (error * 100 > truth)
		fail_msg("%llu is not within 1 %% of %llu", (unsigned long long)value,
			 (unsigned long long)truth);
}

static void check_percentiles(const uint64_t *sorted, size_t count)
{
	static const double percents[] = { 0.1, 1, 10, 25, 50, 75, 90, 95, 99, 99.9, 99.99 };
	struct hp_function function = function_of(sorted, count);

	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		uint64_t per_myriad = (uint64_t)(percents[i] * 100 + 0.5);
		size_t rank = (per_myriad * count + 9999) / 10000;
		assert_within_a_percent(hp_function_percentile(&function, percents[i]),
					sorted[rank - 1]);
	}
	assert_int_equal(hp_function_percentile(&function, 0), sorted[0]);
	assert_int_equal(hp_function_percentile(&function, 100), sorted[count - 1]);
	free(function.times.items);
}

/* Durations of 1 ns to hours, evenly over their magnitudes, in samples of several sizes. */
static void percentiles(void **state)
{
	static const size_t sizes[] = { 1, 2, 3, 10, 1000, SAMPLES };
	uint64_t *samples = calloc(SAMPLES, sizeof(*samples));
	uint64_t seed = 1;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (size_t j = 0; j < sizes[i]; j++) {
			uint64_t magnitude = UINT64_C(1) << next_random(&seed) % 45;
			samples[j] = magnitude + next_random(&seed) % magnitude;
		}
		qsort(samples, sizes[i], sizeof(*samples), compare);
		check_percentiles(samples, sizes[i]);
	}
	free(samples);
}

/* 99.9 % of 1000 is 999 calls, not 1000. */
static void ranks_are_exact(void **state)
{
	struct hp_point points[] = { { 10, 999 }, { 20, 1 } };
	struct hp_function function = {
		.calls = 1000, .min_ns = 10, .max_ns = 20, .times.items = points, .times.count = 2
	};

	(void)state;
	assert_int_equal(hp_function_percentile(&function, 99.9), 10);
	assert_int_equal(hp_function_percentile(&function, 99.91), 20);
}

static void percentiles_stay_between_extremes(void **state)
{
	struct hp_point points[] = { { 1006, 5 } };
	struct hp_function function = {
		.calls = 5, .min_ns = 1000, .max_ns = 1003, .times.items = points, .times.count = 1
	};

	(void)state;
	assert_int_equal(hp_function_percentile(&function, 50), 1003);
	function.times.count = 0;
	assert_int_equal(hp_function_percentile(&function, 50), 1003);
}

static void nothing_ended(void **state)
{
	struct hp_function function = { .open = 1, .total_ns = 5 };

	(void)state;
	assert_int_equal(hp_function_percentile(&function, 0), 0);
	assert_int_equal(hp_function_percentile(&function, 95), 0);
	assert_int_equal(hp_function_percentile(&function, 100), 0);
	assert_int_equal(hp_function_average(&function), 0);
}

static void averages_are_rounded(void **state)
{
	struct hp_function function = { .calls = 4, .sum_ns = 10 };

	(void)state;
	assert_int_equal(hp_function_average(&function), 3);
	function.sum_ns = 9;
	assert_int_equal(hp_function_average(&function), 2);
}

static void merging_rows(void **state)
{
	struct hp_function first[] = {
		{ .name = "f",
		  .file = "a.c",
		  .line = 3,
		  .kind = HP_SITE_FUNCTION,
		  .calls = 2,
		  .total_ns = 30,
		  .self_ns = 20,
		  .sum_ns = 31,
		  .min_ns = 10,
		  .max_ns = 20,
		  .times.items = (struct hp_point[]){ { 10, 1 }, { 20, 1 } },
		  .times.count = 2 },
		{ .name = "g", .kind = HP_SITE_SPAN, .open = 1, .total_ns = 4 },
	};
	struct hp_function second[] = {
		{ .name = "g",
		  .kind = HP_SITE_SPAN,
		  .calls = 1,
		  .total_ns = 7,
		  .sum_ns = 7,
		  .min_ns = 7,
		  .max_ns = 7,
		  .times.items = (struct hp_point[]){ { 7, 1 } },
		  .times.count = 1 },
		{ .name = "f",
		  .file = "a.c",
		  .line = 3,
		  .kind = HP_SITE_FUNCTION,
		  .is_caller = true,
		  .calls = 3,
		  .open = 1,
		  .total_ns = 60,
		  .self_ns = 50,
		  .sum_ns = 61,
		  .min_ns = 5,
		  .max_ns = 15,
		  .times.items = (struct hp_point[]){ { 5, 1 }, { 10, 2 }, { 15, 1 } },
		  .times.count = 3 },
		{ .name = "f", .file = "b.c", .line = 3, .kind = HP_SITE_FUNCTION, .calls = 1 },
		{ .name = "f", .file = "a.c", .line = 4, .kind = HP_SITE_FUNCTION, .calls = 1 },
		{ .name = "f", .file = "a.c", .line = 3, .kind = HP_SITE_BLOCK, .calls = 1 },
	};
	struct hp_model one = { .processes = 1, .functions = first, .function_count = 2 };
	struct hp_model two = { .processes = 1, .functions = second, .function_count = 5 };
	struct hp_model *model = calloc(1, sizeof(*model));

	(void)state;
	assert_int_equal(hp_model_merge(model, &one), 0);
	assert_int_equal(hp_model_merge(model, &two), 0);
	assert_int_equal(model->function_count, 5);

	const struct hp_function *f = &model->functions[0], *g = &model->functions[1];
	assert_string_equal(f->name, "f");
	assert_string_equal(f->file, "a.c");
	assert_true(f->is_caller);
	assert_int_equal(f->calls, 5);
	assert_int_equal(f->open, 1);
	assert_int_equal(f->total_ns, 90);
	assert_int_equal(f->self_ns, 70);
	assert_int_equal(f->sum_ns, 92);
	assert_int_equal(f->min_ns, 5);
	assert_int_equal(f->max_ns, 20);
	static const struct hp_point merged[] = { { 5, 1 }, { 10, 3 }, { 15, 1 }, { 20, 1 } };
	assert_int_equal(f->times.count, 4);
	assert_memory_equal(f->times.items, merged, sizeof(merged));

	assert_null(g->file);
	assert_int_equal(g->calls, 1);
	assert_int_equal(g->open, 1);
	assert_int_equal(g->min_ns, 7);
	hp_model_free(model);
}

/* Two libraries may have functions of one name; wherever a library lies, it is the same. */
static void merging_modules(void **state)
{
	struct hp_function rows[] = {
		{ .name = "f", .module = "/a/libone.so", .calls = 1 },
		{ .name = "f", .module = "/b/libone.so", .calls = 2 },
		{ .name = "f", .module = "/a/libtwo.so", .calls = 4 },
		{ .name = "f", .calls = 8 },
	};
	char *notes[] = { "one", "two", "one" };
	struct hp_model *model = calloc(1, sizeof(*model));

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct hp_model one = { .functions = &rows[i],
					.function_count = 1,
					.notes = &notes[i % 3],
					.note_count = 1 };
		assert_int_equal(hp_model_merge(model, &one), 0);
	}
	assert_int_equal(model->function_count, 3);
	assert_int_equal(model->functions[0].calls, 3);
	assert_string_equal(model->functions[0].module, "/a/libone.so");
	assert_int_equal(model->functions[1].calls, 4);
	assert_int_equal(model->functions[2].calls, 8);
	assert_int_equal(model->note_count, 2);
	assert_string_equal(model->notes[1], "two");
	hp_model_free(model);
}

/* Frames are found again in each merge, whether they were there first or came with another process. */
static void merging_frames(void **state)
{
	struct hp_cpu_module modules[] = { { .path = (char[]){ "/a" } },
					   { .path = (char[]){ "/b" } } };
	struct hp_cpu_frame frames[] = {
		{ .kind = HP_FRAME_CODE, .module = 0, .address = 1, .function = -1, .name = "f" },
		{ .kind = HP_FRAME_CODE, .module = 1, .address = 1, .function = -1, .name = "g" },
		{ .kind = HP_FRAME_CODE, .module = 1, .address = 2, .function = -1, .name = "h" },
	};
	uint32_t order[] = { 2, 1, 0 };
	struct hp_model *model = calloc(1, sizeof(*model));

	(void)state;
	for (size_t count = 1; count <= 3; count++)
		for (size_t again = 0; again < 2; again++) {
			struct hp_cpu_stack stack = { .depth = (uint32_t)count,
						      .frames = order + 3 - count };
			struct hp_model one = { .cpu = { .source = HP_CPU_PERF,
							 .modules = modules,
							 .module_count = 2,
							 .frames = frames,
							 .frame_count = count,
							 .stacks = &stack,
							 .stack_count = 1 } };
			assert_int_equal(hp_model_merge(model, &one), 0);
			assert_int_equal(model->cpu.frame_count, count);
			const struct hp_cpu_stack *last =
				&model->cpu.stacks[model->cpu.stack_count - 1];
			assert_memory_equal(last->frames, stack.frames, count * sizeof(*order));
		}
	assert_string_equal(model->cpu.frames[0].name, "f");
	assert_string_equal(model->cpu.frames[2].name, "h");
	hp_model_free(model);
}

static void merging_figures(void **state)
{
	struct hp_model one = { .program = (char[]){ "one" },
				.pid = 11,
				.processes = 1,
				.caller = (char[]){ "main" },
				.elapsed_ns = 100,
				.start_unix_ns = 1000,
				.exit = { .clean = true },
				.span_ns = 12,
				.estimated_ns = 5,
				.dropped = { [HP_COUNTER_depth] = 1 } };
	struct hp_model two = { .program = (char[]){ "two" },
				.pid = 12,
				.processes = 2,
				.elapsed_ns = 300,
				.start_unix_ns = 900,
				.exit = { .signal = 9, .status = -1 },
				.span_ns = 10,
				.estimated_ns = 6,
				.dropped = { [HP_COUNTER_depth] = 2 } };
	struct hp_model *model = calloc(1, sizeof(*model));

	(void)state;
	assert_int_equal(hp_model_merge(model, &one), 0);
	assert_true(model->exit.clean);
	assert_int_equal(hp_model_merge(model, &two), 0);
	assert_int_equal(hp_model_merge(model, &one), 0);
	assert_string_equal(model->program, "one");
	assert_string_equal(model->caller, "main");
	assert_null(model->arguments);
	assert_int_equal(model->pid, 11);
	assert_int_equal(model->processes, 4);
	assert_int_equal(model->elapsed_ns, 300);
	assert_int_equal(model->start_unix_ns, 900);
	assert_int_equal(model->exit.signal, 9);
	assert_false(model->exit.clean);
	assert_true(model->span_ns == 12);
	assert_int_equal(model->estimated_ns, 16);
	assert_int_equal(model->dropped[HP_COUNTER_depth], 4);
	hp_model_free(model);
}

/* Clocks that differ by some parts per million do not multiply the points. */
static void merging_close_points(void **state)
{
	struct hp_point there[] = { { 1000000, 1 }, { 1015000, 1 } };
	struct hp_point here[] = { { 1000010, 1 }, { 1015011, 1 }, { 1030000, 1 } };
	struct hp_function one = {
		.name = (char[]){ "f" }, .calls = 2, .times.items = there, .times.count = 2
	};
	struct hp_function two = {
		.name = (char[]){ "f" }, .calls = 3, .times.items = here, .times.count = 3
	};
	struct hp_model a = { .functions = &one, .function_count = 1 };
	struct hp_model b = { .functions = &two, .function_count = 1 };
	struct hp_model *model = calloc(1, sizeof(*model));
	static const struct hp_point merged[] = { { 1000000, 2 }, { 1015000, 2 }, { 1030000, 1 } };

	(void)state;
	assert_int_equal(hp_model_merge(model, &a), 0);
	assert_int_equal(hp_model_merge(model, &b), 0);
	assert_int_equal(model->functions[0].times.count, 3);
	assert_memory_equal(model->functions[0].times.items, merged, sizeof(merged));
	hp_model_free(model);
}

enum { ROWS = 1000, MODELS = 100 };

static void merging_many(void **state)
{
	static struct hp_function functions[ROWS];
	static char names[ROWS][16];
	struct hp_point points[] = { { 5, 1 }, { 6, 1 } };
	struct hp_model from = { .processes = 1, .functions = functions, .function_count = ROWS };
	struct hp_model *model = calloc(1, sizeof(*model));

	(void)state;
	for (int i = 0; i < ROWS; i++) {
		snprintf(names[i], sizeof(names[i]), "function_%d", i);
		functions[i] = (struct hp_function){
			.name = names[i], .calls = 2, .times.items = points, .times.count = 2
		};
	}
	for (int i = 0; i < MODELS; i++)
		assert_int_equal(hp_model_merge(model, &from), 0);
	assert_int_equal(model->processes, MODELS);
	assert_int_equal(model->function_count, ROWS);
	for (int i = 0; i < ROWS; i++)
		assert_int_equal(model->functions[i].calls, 2 * MODELS);
	hp_model_free(model);
}

static void freeing_nothing(void **state)
{
	(void)state;
	hp_model_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(percentiles),
		cmocka_unit_test(ranks_are_exact),
		cmocka_unit_test(percentiles_stay_between_extremes),
		cmocka_unit_test(nothing_ended),
		cmocka_unit_test(averages_are_rounded),
		cmocka_unit_test(merging_rows),
		cmocka_unit_test(merging_modules),
		cmocka_unit_test(merging_frames),
		cmocka_unit_test(merging_figures),
		cmocka_unit_test(merging_close_points),
		cmocka_unit_test(merging_many),
		cmocka_unit_test(freeing_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
