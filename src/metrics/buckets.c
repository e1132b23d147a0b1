/* SPDX-License-Identifier: MIT */
/* The buckets of histograms, as Prometheus has them. */
#include "buckets.h"

#include "arithmetic.h"

/*
 * Powers of four times 250 ns have seven significant bits, as the lower ends of our buckets have: counts are exact if the
 * clock counts nanoseconds. With another clock, the bucket of ours that a boundary divides, which is less than 1.6 % wide,
 * is counted by its middle. Clocks tell whole units that have passed: what is said to take 250 ns took a little more.
 */
uint64_t hp_classic_boundary(unsigned bucket)
{
	return UINT64_C(250) << 2 * bucket;
}

void hp_classic_add(struct hp_classic *classic, const struct hp_points *points, uint64_t count,
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
