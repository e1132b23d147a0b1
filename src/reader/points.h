/* SPDX-License-Identifier: MIT */
/* A histogram as the model has it: its used buckets, by rising value. */
#ifndef HP_POINTS_H
#define HP_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** So many calls had about so much: one used bucket. */
struct hp_point {
	/** Nanoseconds, bytes or blocks. */
	uint64_t value;
	uint64_t count;
};

struct hp_points {
	struct hp_point *items;
	size_t count;
};

/** Which of so many calls, by rising value, a percentile is: the nearest rank. */
uint64_t hp_percentile_rank(double percent, uint64_t count);

/** How many calls there are. */
uint64_t hp_points_calls(const struct hp_points *points);

/** The value of the call with a rank, from 1 on; the largest when there are not so many. */
uint64_t hp_points_at(const struct hp_points *points, uint64_t rank);

/**
 * The value that a share of all calls does not exceed: 0 is the least, 100 the most, both exact; between them within
 * 1 %. 0 when there was no call.
 */
uint64_t hp_points_percentile(const struct hp_points *points, uint64_t count, uint64_t least,
			      uint64_t most, double percent);

/**
 * Make points of the counters of all buckets.
 *
 * @param value
 *         What a bucket stands for.
 * @return
 *         False when memory ran out.
 */
bool hp_points_make(struct hp_points *points, const uint64_t *buckets,
		    uint64_t (*value)(const void *context, unsigned bucket), const void *context);

/**
 * Add the calls of another histogram.
 *
 * @return
 *         0, or -ENOMEM.
 */
int hp_points_merge(struct hp_points *into, const struct hp_points *from);

#endif
