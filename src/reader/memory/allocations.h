/* SPDX-License-Identifier: MIT */
/* Adds up the allocations of all lanes to figures of functions and places. */
#ifndef HP_ALLOCATIONS_H
#define HP_ALLOCATIONS_H

#include "calls/octaves.h"
#include "model.h"
#include "names/names.h"
#include "process/snapshot.h"

struct hp_build;

/** The figures of an hp_alloc. While that is the owner of its lane, newer figures are in the lane. */
struct hp_own {
	uint64_t bytes;
	uint64_t blocks;
};

/** @param at Where the alloc is. */
struct hp_own hp_alloc_own(const struct hp_lane *lane, uint64_t at, const struct hp_alloc *alloc);

/** The allocations of one site, over its lanes. Zero-initialised. */
struct hp_alloc_sum {
	struct hp_alloc_figures figures;
	bool has_any;
	struct hp_octaves octaves[HP_ALLOC_HISTOGRAMS];
};

/** Add a stat of the site. */
void hp_alloc_sum_add(struct hp_alloc_sum *sum, const struct hp_snapshot *snapshot,
		      const struct hp_lane *lane, const struct hp_stat *stat);

/** Make figures of the sum. Returns false when memory ran out, now or before. */
bool hp_alloc_sum_take(const struct hp_alloc_sum *sum, struct hp_alloc_figures *figures);

/** Free what it holds, and zero it. */
void hp_alloc_sum_clear(struct hp_alloc_sum *sum);

/**
 * Read what is not of one function: totals, and blocks that are still allocated.
 *
 * What was allocated outside of any function becomes the caller's. Where the whole process is the caller, it
 * gets a row; and where nothing was measured and blocks were followed, so do the functions that call malloc.
 *
 * @return
 *         False when memory ran out.
 */
bool hp_allocations_read(const struct hp_build *build);

#endif
