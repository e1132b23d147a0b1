/* SPDX-License-Identifier: MIT */
/*
 * Adds up the stats of many sites at once, in the order in which they lie in the segment.
 *
 * The stats of one site are scattered over all lanes. To read them in place site by site maps the same pages again and again,
 * or keeps the whole segment mapped; in the order of the segment, each part of it is mapped once, or a few times. If few are read,
 * they are gathered from the file; then those that are close together are read at once.
 */
#ifndef HP_STAT_BATCH_H
#define HP_STAT_BATCH_H

#include "process/gather.h"
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

/** The parts of a site to read, if it is gathered: in place, leaving something out would save nothing. */
struct hp_stat_wish {
	bool without_histograms;
	/** The newest calls, too. */
	bool wants_newest;
};

/** Zero-initialised. Used for one batch after the other. */
struct hp_stat_batch {
	/** The reader that gathers the stats; NULL to read them in place. */
	struct hp_gather *gather;
	/** One for each site, and what is wanted of it. */
	struct hp_stat_sum *sums;
	struct hp_stat_wish wishes[HP_STAT_BATCH_SITES];
	uint32_t sum_count;
	size_t sum_room;
	struct hp_stat_due *items;
	size_t count;
	size_t room;
};

/** Begin with other sites, so many and HP_STAT_BATCH_SITES at most. Returns false when memory ran out, as the next one does. */
bool hp_stat_batch_begin(struct hp_stat_batch *batch, size_t sites);

/** Add the entries of a site; its sum is the next one. */
bool hp_stat_batch_want(struct hp_stat_batch *batch, const struct hp_stat_index *index, uint32_t id,
			struct hp_stat_wish wish);

/** Add up what is wanted. @param caller The number of the sum whose site is 100 %, if any. */
void hp_stat_batch_add_up(struct hp_stat_batch *batch, struct hp_stat_index *index,
			  const struct hp_snapshot *snapshot, uint32_t caller);

void hp_stat_batch_free(struct hp_stat_batch *batch);

#endif
