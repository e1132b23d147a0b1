/* SPDX-License-Identifier: MIT */
/* Ratios are as certain as they say: by tables, by counting, and by trying. */
#include "made_noise.h"
#include "ratio.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

enum {
	RUNS_MAX = 150,
	TRIES = 1000,
};

static size_t rank_for(size_t before_count, size_t after_count, double confidence)
{
	struct hp_ratio_ranks ranks = { .confidence = confidence };
	double values[RUNS_MAX] = { 0 };
	struct hp_ratio ratio;

	assert_int_equal(hp_ratio(&ranks, values, before_count, values, after_count, &ratio), 0);
	assert_int_equal(ranks.count, 1);
	size_t rank = ranks.items[0].rank;
	assert_int_equal(ratio.is_guess, rank == 0);
	hp_ratio_ranks_clear(&ranks);
	return rank;
}

/* As in the tables of statisticians: the largest U that is significant is one less than the rank. */
static void ranks_are_those_of_tables(void **state)
{
	static const struct {
		size_t before, after, rank_95, rank_99;
	} table[] = {
		{ 1, 1, 0, 0 },	      { 3, 3, 0, 0 },	    { 4, 4, 1, 0 },
		{ 3, 5, 1, 0 },	      { 5, 5, 3, 1 },	    { 5, 3, 1, 0 },
		{ 6, 9, 11, 6 },      { 9, 6, 11, 6 },	    { 8, 8, 14, 8 },
		{ 10, 10, 24, 17 },   { 12, 15, 50, 38 },   { 10, 20, 56, 43 },
		{ 20, 20, 128, 106 }, { 50, 50, 966, 878 }, { 60, 60, 1427, 1311 },
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(table); i++) {
		assert_int_equal(rank_for(table[i].before, table[i].after, 0.95), table[i].rank_95);
		assert_int_equal(rank_for(table[i].before, table[i].after, 0.99), table[i].rank_99);
	}
	assert_int_equal(rank_for(50, 50, 1 - 0.05 / 500), 696);
}

/* Of many runs the rank is near the true one, and no interval is narrower than it may be. */
static void ranks_of_many_runs_are_careful(void **state)
{
	static const struct {
		size_t before, after;
		double confidence;
		size_t rank;
	} table[] = {
		{ 61, 61, 0.95, 1478 },	  { 61, 61, 0.99, 1360 },  { 70, 70, 0.95, 1980 },
		{ 100, 100, 0.95, 4198 }, { 40, 150, 0.99, 2208 }, { 70, 70, 0.9999, 1529 },
		{ 61, 61, 0.9999, 1112 },
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(table); i++) {
		size_t rank = rank_for(table[i].before, table[i].after, table[i].confidence);
		assert_in_range(rank, table[i].rank - table[i].rank / 50, table[i].rank);
	}
}

static int compare_values(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

/* Found by sorting, with the definition: something to nothing is infinite, nothing to nothing 1. */
static void assert_ratio(const double *before, size_t before_count, const double *after,
			 size_t after_count)
{
	struct hp_ratio_ranks ranks = { .confidence = 0.95 };
	double *all = calloc(before_count * after_count, sizeof(*all));
	struct hp_ratio ratio;
	size_t count = 0;
	assert_non_null(all);
	for (size_t i = 0; i < before_count; i++)
		for (size_t j = 0; j < after_count; j++)
			all[count++] = before[i] == 0 && after[j] == 0 ? 1 : after[j] / before[i];
	qsort(all, count, sizeof(*all), compare_values);

	assert_int_equal(hp_ratio(&ranks, before, before_count, after, after_count, &ratio), 0);
	size_t rank = ranks.items[0].rank;
	double slack = rank ? 1 : HP_RATIO_GUESS;
	assert_true(ratio.estimate == (all[(count - 1) / 2] + all[count / 2]) / 2);
	assert_true(ratio.low == all[rank ? rank - 1 : 0] / slack);
	assert_true(ratio.high == all[rank ? count - rank : count - 1] * slack);
	assert_true(ratio.low <= ratio.estimate && ratio.estimate <= ratio.high);
	hp_ratio_ranks_clear(&ranks);
	free(all);
}

static void bounds_are_ratios(void **state)
{
	double before[12], after[12];

	(void)state;
	made_seed = 1;
	for (size_t i = 0; i < MADE_DRAWS; i++) {
		for (size_t count = 1; count <= LENGTH(before); count++) {
			made_draw(made_draws[i], 1e6, before, count);
			made_draw(made_draws[i], 2e-6, after, LENGTH(after) + 1 - count);
			assert_ratio(before, count, after, LENGTH(after) + 1 - count);
		}
	}
}

/* Those of many runs are not sorted. */
static void bounds_of_many_are_ratios(void **state)
{
	double before[40], after[40];

	(void)state;
	made_seed = 2;
	for (size_t i = 0; i < MADE_DRAWS; i++) {
		made_draw(made_draws[i], 1e6, before, LENGTH(before));
		made_draw(made_draws[i], 2e-6, after, LENGTH(after));
		/* 1024 pairs, and one side more. */
		assert_ratio(before, 32, after, 32);
		assert_ratio(before, 33, after, 32);
		assert_ratio(before, LENGTH(before), after, LENGTH(after));
	}
}

static void nothing_has_a_ratio_too(void **state)
{
	static const double none[] = { 0, 0, 0, 0, 0 };
	static const double some[] = { 0, 3, 0, 5e-324, 1e308 };
	static const double all[] = { 7, 3, 4, 1e-300, 2 };

	(void)state;
	assert_ratio(none, 5, none, 5);
	assert_ratio(none, 5, some, 5);
	assert_ratio(some, 5, none, 5);
	assert_ratio(some, 5, some, 5);
	assert_ratio(none, 5, all, 5);
	assert_ratio(all, 5, none, 5);
	assert_ratio(some, 5, all, 5);
	assert_ratio(none, 1, all, 1);
	assert_true(hp_ratio_of(0, 0) == 1);
	assert_true(isinf(hp_ratio_of(0, 1e-9)));
	assert_true(hp_ratio_of(4, 0) == 0);
}

/* One run of each side: nothing is known within a factor of two. */
static void single_runs_are_a_guess(void **state)
{
	struct hp_ratio_ranks ranks = { .confidence = 0.95 };
	double before = 10, after = 15;
	struct hp_ratio ratio;

	(void)state;
	assert_int_equal(hp_ratio(&ranks, &before, 1, &after, 1, &ratio), 0);
	hp_ratio_ranks_clear(&ranks);
	assert_true(ratio.is_guess);
	assert_true(ratio.estimate == 1.5 && ratio.low == 0.75 && ratio.high == 3);
}

/* A gauge may be above 0 before and below it after. */
static void a_guess_below_zero_is_inside_its_bounds(void **state)
{
	struct hp_ratio_ranks ranks = { .confidence = 0.95 };
	const double before = 4, after = -8;
	struct hp_ratio ratio;

	(void)state;
	assert_int_equal(hp_ratio(&ranks, &before, 1, &after, 1, &ratio), 0);
	assert_true(ratio.is_guess);
	assert_true(ratio.low == -4 && ratio.estimate == -2 && ratio.high == -1);
	hp_ratio_ranks_clear(&ranks);
}

static void medians(void **state)
{
	static const double values[] = { 3, -1, 2, 7, INFINITY, -0.0 };

	(void)state;
	assert_true(isnan(hp_median(NULL, 0)));
	assert_true(hp_median(values, 1) == 3);
	assert_true(hp_median(values, 2) == 1);
	assert_true(hp_median(values, 3) == 2);
	assert_true(hp_median(values, 4) == 2.5);
	assert_true(hp_median(values, 5) == 3);
	assert_true(isinf(hp_median(values + 4, 1)));
	assert_false(signbit(hp_median(values + 5, 1)));
	assert_false(signbit(hp_median((double[]){ 0, 0, 0 }, 3)));
	assert_true(hp_median((double[]){ -3, -2, -7 }, 3) == -3);
	assert_true(hp_median((double[]){ 5, 5, 5, 5 }, 4) == 5);
}

static void runs_needed(void **state)
{
	(void)state;
	/* As few as make the extremes an interval; 1 - 0.9 is a little less than 0.1. */
	assert_int_equal(hp_ratio_runs_needed(0.9), 3);
	assert_int_equal(hp_ratio_runs_needed(0.95), 4);
	assert_int_equal(hp_ratio_runs_needed(1 - 0.05 / 20), 6);
	assert_int_equal(hp_ratio_runs_needed(1 - 0.05 / 100), 8);
	assert_int_equal(hp_ratio_runs_needed(1 - 0.05 / 4618), 10);
	assert_int_equal(hp_ratio_runs_needed(1 - 0.05 / 4619), 11);

	for (size_t rows = 1; rows < 1000000; rows = rows * 3 + 1) {
		double confidence = 1 - 0.05 / (double)rows;
		size_t runs = hp_ratio_runs_needed(confidence);
		assert_int_not_equal(rank_for(runs, runs, confidence), 0);
		assert_int_equal(rank_for(runs - 1, runs - 1, confidence), 0);
	}
}

/* How often an interval of runs that differ by a factor has it, or is beside 1. */
struct tally {
	size_t right;
	size_t above;
	size_t below;
};

static struct tally try(made_draw_fn draw, size_t runs, double factor, double confidence)
{
	struct hp_ratio_ranks ranks = { .confidence = confidence };
	double before[RUNS_MAX], after[RUNS_MAX];
	struct tally tally = { 0 };

	for (int i = 0; i < TRIES; i++) {
		struct hp_ratio ratio;
		made_draw(draw, 1, before, runs);
		made_draw(draw, factor, after, runs);
		assert_int_equal(hp_ratio(&ranks, before, runs, after, runs, &ratio), 0);
		tally.right += ratio.low <= factor && factor <= ratio.high;
		tally.above += ratio.low > 1;
		tally.below += ratio.high < 1;
	}
	hp_ratio_ranks_clear(&ranks);
	return tally;
}

/* Three standard deviations of the number of tries that are wrong. */
static double margin(double wrong)
{
	return 3 * sqrt(wrong * (1 - wrong) * TRIES);
}

/* What is true is in the interval as often as it says, whatever the distribution. */
static void intervals_hold_the_truth(void **state)
{
	static const double factors[] = { 1, 1.1, 0.3 };

	(void)state;
	made_seed = 2;
	for (size_t i = 0; i < MADE_DRAWS; i++) {
		for (size_t j = 0; j < LENGTH(factors); j++) {
			for (size_t runs = 4; runs <= 16; runs *= 2) {
				struct tally tally = try(made_draws[i], runs, factors[j], 0.95);
				assert_true((double)tally.right >= 0.95 * TRIES - margin(0.05));
			}
		}
	}
}

/* Intervals as wide as they need be, and no wider: else nothing would ever be found. */
static void intervals_are_not_too_wide(void **state)
{
	(void)state;
	made_seed = 3;
	for (size_t i = 0; i < MADE_DRAWS; i++) {
		struct tally tally = try(made_draws[i], 20, 1, 0.95);
		/* In buckets many are equal: that is on the safe side. */
		if (made_draws[i] != made_in_buckets)
			assert_true((double)tally.right <= 0.955 * TRIES + margin(0.05));
	}
}

/* 20 rows, 10 runs: what takes 10 % longer is found, and what does not is left alone. */
static void a_tenth_is_found(void **state)
{
	double confidence = 1 - 0.05 / 20;

	(void)state;
	made_seed = 4;
	struct tally slower = try(made_quiet, 10, 1.1, confidence);
	assert_in_range(slower.above, TRIES * 999 / 1000, TRIES);
	assert_int_equal(slower.below, 0);
	struct tally faster = try(made_quiet, 10, 0.9, confidence);
	assert_in_range(faster.below, TRIES * 999 / 1000, TRIES);
	assert_int_equal(faster.above, 0);
	/* If a run in ten is disturbed, ten runs often have several such: twice as many do not hide it. */
	struct tally disturbed = try(made_disturbed, 20, 1.1, confidence);
	assert_in_range(disturbed.above, TRIES * 95 / 100, TRIES);
	assert_int_equal(disturbed.below, 0);
	struct tally same = try(made_quiet, 10, 1, confidence);
	assert_true((double)(same.above + same.below) <= 0.0025 * TRIES + margin(0.0025));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_are_those_of_tables),
		cmocka_unit_test(ranks_of_many_runs_are_careful),
		cmocka_unit_test(bounds_are_ratios),
		cmocka_unit_test(bounds_of_many_are_ratios),
		cmocka_unit_test(nothing_has_a_ratio_too),
		cmocka_unit_test(single_runs_are_a_guess),
		cmocka_unit_test(medians),
		cmocka_unit_test(a_guess_below_zero_is_inside_its_bounds),
		cmocka_unit_test(runs_needed),
		cmocka_unit_test(intervals_hold_the_truth),
		cmocka_unit_test(intervals_are_not_too_wide),
		cmocka_unit_test(a_tenth_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
