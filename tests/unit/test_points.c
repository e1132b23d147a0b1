/* SPDX-License-Identifier: MIT */
/* Percentiles of a histogram are the values of the calls that they name. */
#include "histogram.h"
#include "points.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { POINTS = 40, MOST = 1000000 };

static const double percents[] = {
	0.001, 0.1, 1, 25, 49.9, 50, 50.1, 75, 90, 95, 99, 99.9, 99.999
};

/* The value of the call with a rank, counted one call after the other. */
static uint64_t counted(const struct hp_points *points, uint64_t rank)
{
	size_t at = 0;
	uint64_t left = points->items[0].count;

	for (uint64_t i = 1; i < rank; i++)
		for (left--; left == 0;)
			left = points->items[++at].count;
	return points->items[at].value;
}

static void assert_percentiles(const struct hp_points *points)
{
	uint64_t calls = hp_points_calls(points);

	for (size_t i = 0; i < sizeof(percents) / sizeof(*percents); i++)
		assert_int_equal(hp_points_percentile(points, calls, 0, MOST, percents[i]),
				 counted(points, hp_percentile_rank(percents[i], calls)));
}

static void percentiles(void **state)
{
	struct hp_point items[POINTS];
	struct hp_points points = { items, 0 };
	uint32_t random = 1;

	(void)state;
	for (int round = 0; round < 200; round++)
		for (points.count = 0; points.count < POINTS;) {
			random = random * 1664525 + 1013904223;
			items[points.count] = (struct hp_point){ (points.count + 1) * 100,
								 1 + (random >> 24) };
			points.count++;
			assert_percentiles(&points);
		}
}

static void percentiles_of_equal_calls(void **state)
{
	struct hp_point item = { 7, 1 };
	struct hp_points points = { &item, 1 };

	(void)state;
	for (item.count = 1; item.count < 10; item.count++)
		assert_percentiles(&points);
}

/* Both ends are exact, and values of buckets stay between them. */
static void ends(void **state)
{
	struct hp_point items[] = { { 100, 10 }, { 200, 10 } };
	struct hp_points points = { items, 2 }, none = { NULL, 0 };

	(void)state;
	assert_int_equal(hp_points_percentile(&points, 20, 103, 198, 0), 103);
	assert_int_equal(hp_points_percentile(&points, 20, 103, 198, 50), 103);
	assert_int_equal(hp_points_percentile(&points, 20, 103, 198, 99), 198);
	assert_int_equal(hp_points_percentile(&points, 20, 103, 198, 100), 198);
	assert_int_equal(hp_points_percentile(&points, 0, 103, 198, 50), 0);
	assert_int_equal(hp_points_percentile(&none, 20, 103, 198, 50), 198);
}

static uint64_t ten_times(const void *context, unsigned bucket)
{
	assert_null(context);
	return (uint64_t)bucket * 10;
}

/* Of the first and the last bucket of octaves with others that are empty, or not there, between them. */
static void points_of_octaves(void **state)
{
	uint64_t *octaves[HP_OCTAVES] = { NULL }, first[HP_OCTAVE_BUCKETS] = { 0 },
		 empty[HP_OCTAVE_BUCKETS] = { 0 }, last[HP_OCTAVE_BUCKETS] = { 0 };
	struct hp_points points;

	(void)state;
	octaves[0] = first;
	octaves[5] = empty;
	octaves[HP_OCTAVES - 1] = last;
	first[0] = 1;
	first[HP_OCTAVE_BUCKETS - 1] = 2;
	last[0] = 3;
	last[HP_OCTAVE_BUCKETS - 1] = 4;
	assert_true(hp_points_make(&points, octaves, ten_times, NULL));
	assert_int_equal(points.count, 4);
	const struct hp_point expected[] = {
		{ 0, 1 },
		{ ten_times(NULL, HP_OCTAVE_BUCKETS - 1), 2 },
		{ ten_times(NULL, HP_BUCKETS - HP_OCTAVE_BUCKETS), 3 },
		{ ten_times(NULL, HP_BUCKETS - 1), 4 },
	};
	assert_memory_equal(points.items, expected, sizeof(expected));
	free(points.items);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(percentiles),
		cmocka_unit_test(percentiles_of_equal_calls),
		cmocka_unit_test(ends),
		cmocka_unit_test(points_of_octaves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
