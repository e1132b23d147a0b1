/* SPDX-License-Identifier: MIT */
/* The buckets of histograms, as Prometheus has them. */
#ifndef HP_METRICS_BUCKETS_H
#define HP_METRICS_BUCKETS_H

#include "points.h"

/** Upper boundaries of the buckets are 250 ns, 1 µs, 4 µs … 67 s. */
enum { HP_CLASSIC_BUCKETS = 15 };

/** Several histograms that are one. */
struct hp_classic {
	/** Everything that was counted, and its sum in nanoseconds. */
	uint64_t count;
	uint64_t sum_ns;
	/** How many took less than each boundary. */
	uint64_t below[HP_CLASSIC_BUCKETS];
};

/** The upper boundary of a bucket, in nanoseconds. */
uint64_t hp_classic_boundary(unsigned bucket);

/** Add a histogram to one that begins as zeros. */
void hp_classic_add(struct hp_classic *classic, const struct hp_points *points, uint64_t count,
		    uint64_t sum_ns);

#endif
