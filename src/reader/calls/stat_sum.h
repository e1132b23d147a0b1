/* SPDX-License-Identifier: MIT */
/* The figures of one site over its lanes. */
#ifndef HP_STAT_SUM_H
#define HP_STAT_SUM_H

#include "memory/allocations.h"
#include "model.h"
#include "octaves.h"
#include "process/snapshot.h"

/** In ticks. Zero-initialised, and used for one site after the other. */
struct hp_stat_sum {
	uint64_t calls, counted, total, so_far, self, nested, min, max;
	/** A sum of signed counters, kept unsigned because signed overflow would be undefined behaviour. */
	uint64_t open;
	uint64_t samples, inclusive_samples, system_samples, queue_ns, alloc_samples;
	/** Set by who wants no histogram: calls in rings are not counted in one either. */
	bool without_histograms;
	struct hp_octaves octaves;
	struct hp_alloc_sum alloc;
};

/** How many calls of a stat are in progress on the lane's own stack. */
uint32_t hp_stat_depth(const struct hp_stat *stat);

/** The time so far of the calls in progress of a stat, in ticks; is_caller as below. */
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

/** Move the figures to a row. Returns false when memory ran out, now or before. */
bool hp_stat_sum_take(struct hp_stat_sum *sum, const struct hp_snapshot *snapshot,
		      struct hp_function *function);

/** Free what it holds. */
void hp_stat_sum_end(struct hp_stat_sum *sum);

#endif
