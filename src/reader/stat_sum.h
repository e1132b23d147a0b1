/* SPDX-License-Identifier: MIT */
/* The figures of one site over its lanes. */
#ifndef HP_STAT_SUM_H
#define HP_STAT_SUM_H

#include "allocations.h"
#include "model.h"
#include "snapshot.h"

/** In ticks. One serves for many sites, so that one histogram of full size is enough. */
struct hp_stat_sum {
	uint64_t calls, total, so_far, self, nested, min, max;
	/** Of signed numbers, whose sum must not overflow. */
	uint64_t open;
	uint64_t samples, inclusive_samples, system_samples, queue_ns, alloc_samples;
	uint64_t buckets[HP_BUCKETS];
	/** All zero when the first site begins. */
	struct hp_alloc_sum alloc;
};

/** How long the calls of a stat have taken that are in progress, in ticks; is_caller as below. */
uint64_t hp_stat_so_far(const struct hp_snapshot *snapshot, const struct hp_lane *lane,
			const struct hp_stat *stat, bool is_caller);

/** Begin with a site. */
void hp_stat_sum_begin(struct hp_stat_sum *sum);

/**
 * Add a stat of the site.
 *
 * @param is_caller
 *         The site is the one that is 100 %.
 * @return
 *         Its calls.
 */
uint64_t hp_stat_sum_add(struct hp_stat_sum *sum, const struct hp_snapshot *snapshot,
			 const struct hp_lane *lane, const struct hp_stat *stat, bool is_caller);

/** Whether there is anything to show. */
bool hp_stat_sum_has_any(const struct hp_stat_sum *sum);

/** Hand the figures over to a row. Returns false when memory ran out. */
bool hp_stat_sum_take(struct hp_stat_sum *sum, const struct hp_snapshot *snapshot,
		      struct hp_function *function);

#endif
