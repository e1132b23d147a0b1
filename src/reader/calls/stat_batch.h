/* SPDX-License-Identifier: MIT */
/*
 * Adds up the stats of many sites at once, in the order in which they lie in the segment.
 *
 * The stats of one site are scattered over all lanes. To read them in place site by site maps the same pages again and again,
 * or keeps the whole segment mapped; in the order of the segment, each part of it is mapped once, or a few times.
 */
#ifndef HP_STAT_BATCH_H
#define HP_STAT_BATCH_H

#include "stat_index.h"
#include "stat_sum.h"

enum {
	/** Sites in a batch: their sums take a few megabytes. */
	HP_STAT_BATCH_SITES = 512,
};

struct hp_stat_due {
	/** Offset of the stat, number of its entry, and which of the sums it belongs to. */
	uint64_t at;
	uint32_t entry;
	uint32_t sum;
};

/** Zero-initialised. Used for one batch after the other. */
struct hp_stat_batch {
	/** HP_STAT_BATCH_SITES of them. */
	struct hp_stat_sum *sums;
	struct hp_stat_due *items;
	size_t count;
	size_t room;
};

/** Begin with other sites. Returns false when memory ran out, as the next one does. */
bool hp_stat_batch_begin(struct hp_stat_batch *batch);

/** Add the entries of a site; its sum is sums[sum]. */
bool hp_stat_batch_want(struct hp_stat_batch *batch, const struct hp_stat_index *index, uint32_t id,
			uint32_t sum);

/** Add up what is wanted. @param caller The number of the sum whose site is 100 %, if any. */
void hp_stat_batch_add_up(struct hp_stat_batch *batch, struct hp_stat_index *index,
			  const struct hp_snapshot *snapshot, uint32_t caller);

void hp_stat_batch_free(struct hp_stat_batch *batch);

#endif
