/* SPDX-License-Identifier: MIT */
/* A histogram of the model: its non-empty buckets, by rising value. */
#ifndef HP_POINTS_H
#define HP_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** One non-empty bucket: count calls had about this value. */
struct hp_point {
	/** Nanoseconds, bytes or blocks. */
	uint64_t value;
	uint64_t count;
};

struct hp_points {
	struct hp_point *items;
	size_t count;
};

/** The rank of a percentile among count calls sorted by value (nearest-rank method). */
uint64_t hp_percentile_rank(double percent, uint64_t count);

/** How many calls there are. */
uint64_t hp_points_calls(const struct hp_points *points);

/** The value of the call with a rank, which begins at 1; the largest value if there are fewer calls. */
uint64_t hp_points_at(const struct hp_points *points, uint64_t rank);

/** A percentile: 0 is the minimum, 100 the maximum, both exact; between them within 1 %. 0 if there was no call. */
uint64_t hp_points_percentile(const struct hp_points *points, uint64_t count, uint64_t least,
			      uint64_t most, double percent);

/**
 * Build the points from the counters of buckets.
 *
 * @param octaves
 *         HP_OCTAVES arrays of HP_OCTAVE_BUCKETS counters; NULL for one without calls.
 * @param value
 *         What a bucket stands for.
 * @return
 *         False when memory ran out.
 */
bool hp_points_make(struct hp_points *points, uint64_t *const *octaves,
		    uint64_t (*value)(const void *context, unsigned bucket), const void *context);

/**
 * Add the calls of another histogram.
 *
 * @return
 *         0, or -ENOMEM.
 */
int hp_points_merge(struct hp_points *into, const struct hp_points *from);

#endif
