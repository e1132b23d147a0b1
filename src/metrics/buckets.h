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

/**
 * Exponential buckets, which Prometheus calls native: 32 for each power of two, so that each is 2.2 % wide. Bucket i has what took more
 * than 2^((i-1)/32) s, and at most 2^(i/32) s.
 *
 * These are the finest that are nowhere narrower than ours, of which each is at most 1.6 % wide, or has one value. So a bucket of ours is
 * in one of these, or a border divides it: then all of it is counted where its middle is, 0.8 % at most from where it belongs.
 */
enum {
	/** The number by which Prometheus knows them: there are 2^5 for each power of two. */
	HP_EXPONENTIAL_SCHEMA = 5,
	HP_EXPONENTIAL_OCTAVE = 1 << HP_EXPONENTIAL_SCHEMA,
	/** The buckets of 1 ns, and of UINT64_MAX ns. */
	HP_EXPONENTIAL_FIRST = -956,
	HP_EXPONENTIAL_LAST = 1092,
	HP_EXPONENTIAL_BUCKETS = HP_EXPONENTIAL_LAST - HP_EXPONENTIAL_FIRST + 1,
};

struct hp_exponential {
	/** In all buckets, and in that for 0 ns. */
	uint64_t count;
	uint64_t zero_count;
	uint64_t counts[HP_EXPONENTIAL_BUCKETS];
};

/** Both kinds of buckets. */
struct hp_histogram {
	struct hp_classic classic;
	/** NULL if nobody wants them. */
	struct hp_exponential *exponential;
};

/** The upper boundary of a bucket, in nanoseconds. */
uint64_t hp_classic_boundary(unsigned bucket);

/** The number of the exponential bucket that has a time, which is not 0. */
int hp_exponential_bucket(uint64_t ns);

/** Add a histogram to one that begins as zeros. */
void hp_histogram_add(struct hp_histogram *histogram, const struct hp_points *points,
		      uint64_t count, uint64_t sum_ns);

#endif
