/* SPDX-License-Identifier: MIT */
/* The buckets of histograms, as Prometheus has them. */
#include "buckets.h"

#include "arithmetic.h"

#include <math.h>

/*
 * Powers of four times 250 ns have seven significant bits, as the lower ends of our buckets have: counts are exact if the
 * clock counts nanoseconds. With another clock, the bucket of ours that a boundary divides, which is less than 1.6 % wide,
 * is counted by its middle. Clocks tell whole units that have passed: what is said to take 250 ns took a little more.
 */
uint64_t hp_classic_boundary(unsigned bucket)
{
	return UINT64_C(250) << 2 * bucket;
}

static void add_classic(struct hp_classic *classic, const struct hp_points *points, uint64_t count,
			uint64_t sum_ns)
{
	uint64_t below = 0;
	size_t at = 0;

	classic->count += count;
	classic->sum_ns += sum_ns;
	for (unsigned bucket = 0; bucket < HP_CLASSIC_BUCKETS; bucket++) {
		for (; at < points->count && points->items[at].value < hp_classic_boundary(bucket);
		     at++)
			below += points->items[at].count;
		/* In the snapshot of a running program, buckets may be newer than the count. */
		classic->below[bucket] += hp_min(below, count);
	}
}

int hp_exponential_bucket(uint64_t ns)
{
	return (int)ceil(log2((double)ns / 1e9) * HP_EXPONENTIAL_OCTAVE);
}

static void add_exponential(struct hp_exponential *exponential, const struct hp_points *points)
{
	for (size_t i = 0; i < points->count; i++) {
		const struct hp_point *point = &points->items[i];
		exponential->count += point->count;
		if (point->value)
			exponential->counts[hp_exponential_bucket(point->value) -
					    HP_EXPONENTIAL_FIRST] += point->count;
		else
			exponential->zero_count += point->count;
	}
}

void hp_histogram_add(struct hp_histogram *histogram, const struct hp_points *points,
		      uint64_t count, uint64_t sum_ns)
{
	add_classic(&histogram->classic, points, count, sum_ns);
	if (histogram->exponential)
		add_exponential(histogram->exponential, points);
}
