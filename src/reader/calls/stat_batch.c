/* SPDX-License-Identifier: MIT */
/* Adds up the stats of many sites at once, in the order in which they lie in the segment. */
#include "stat_batch.h"

#include "array.h"

#include <stdlib.h>

/* Bytes of a file that are read along rather than left out: to ask for another part of it takes longer. */
#define NEAR 4096

bool hp_stat_batch_begin(struct hp_stat_batch *batch, size_t sites)
{
	batch->count = batch->sum_count = 0;
	if (batch->sum_room >= sites)
		return true;
	free(batch->sums);
	batch->sums = calloc(sites, sizeof(*batch->sums));
	batch->sum_room = batch->sums ? sites : 0;
	return batch->sums;
}

bool hp_stat_batch_want(struct hp_stat_batch *batch, const struct hp_stat_index *index, uint32_t id,
			struct hp_stat_wish wish)
{
	uint32_t at = hp_stat_index_site(index, id).first, sum = batch->sum_count++;

	hp_stat_sum_begin(&batch->sums[sum]);
	batch->sums[sum].without_histograms = wish.without_histograms;
	batch->wishes[sum] = wish;
	for (; at; at = index->entries[at - 1].next) {
		if (!hp_array_reserve(&batch->items, batch->count, &batch->room,
				      sizeof(*batch->items)))
			return false;
		batch->items[batch->count++] = (struct hp_stat_due){ index->entries[at - 1].stat,
								     at - 1, sum };
	}
	return true;
}

static int by_offset(const void *a, const void *b)
{
	const struct hp_stat_due *one = a, *other = b;

	return (one->at > other->at) - (one->at < other->at);
}

static uint64_t add_gathered(struct hp_stat_batch *batch, const struct hp_stat_due *due,
			     const struct hp_stat_entry *entry, const struct hp_snapshot *snapshot,
			     const struct hp_lane *lane, bool is_caller)
{
	struct hp_gather *gather = batch->gather;
	struct hp_stat_wish wish = batch->wishes[due->sum];

	gather->calls_before = entry->calls;
	gather->wants_newest = wish.wants_newest;
	const struct hp_stat *stat = hp_gather_stat(gather, snapshot, lane, entry->stat,
						    !wish.without_histograms);
	return stat ? hp_stat_sum_add(&batch->sums[due->sum], &gather->snapshot, &gather->lane,
				      stat, is_caller)
		    : 0;
}

static void add_stat(struct hp_stat_batch *batch, const struct hp_stat_due *due,
		     struct hp_stat_index *index, const struct hp_snapshot *snapshot,
		     uint32_t caller)
{
	struct hp_stat_entry *entry = &index->entries[due->entry];
	bool is_caller = due->sum == caller;
	const struct hp_lane *lane;
	const struct hp_stat *stat = hp_stat_index_stat(index, snapshot, entry, &lane);

	if (!stat)
		return;
	uint64_t calls = batch->gather ? add_gathered(batch, due, entry, snapshot, lane, is_caller)
				       : hp_stat_sum_add(&batch->sums[due->sum], snapshot, lane,
							 stat, is_caller);
	hp_stat_index_count(index, entry, calls);
	if (!batch->gather)
		hp_stat_index_touch_stat(index, snapshot, stat);
}

/* The end of the stats that are read ahead with one: each is near the one before. */
static size_t end_of_run(const struct hp_stat_batch *batch, size_t first)
{
	const struct hp_stat_due *items = batch->items;
	size_t next = first + 1;

	while (next < batch->count && items[next].at - items[next - 1].at <= NEAR &&
	       items[next].at - items[first].at <= HP_GATHER_AHEAD - sizeof(struct hp_stat))
		next++;
	return next;
}

static void read_ahead(struct hp_stat_batch *batch, const struct hp_snapshot *snapshot,
		       size_t first, size_t next)
{
	if (next - first > 1)
		hp_gather_ahead(batch->gather, snapshot, batch->items[first].at,
				batch->items[next - 1].at + sizeof(struct hp_stat));
	else
		hp_gather_forget(batch->gather);
}

void hp_stat_batch_add_up(struct hp_stat_batch *batch, struct hp_stat_index *index,
			  const struct hp_snapshot *snapshot, uint32_t caller)
{
	size_t next = 0;

	if (batch->count)
		qsort(batch->items, batch->count, sizeof(*batch->items), by_offset);
	for (size_t i = 0; i < batch->count; i++) {
		if (batch->gather && i == next) {
			next = end_of_run(batch, i);
			read_ahead(batch, snapshot, i, next);
		}
		add_stat(batch, &batch->items[i], index, snapshot, caller);
	}
}

void hp_stat_batch_free(struct hp_stat_batch *batch)
{
	for (size_t i = 0; i < batch->sum_count; i++)
		hp_stat_sum_end(&batch->sums[i]);
	free(batch->sums);
	free(batch->items);
	*batch = (struct hp_stat_batch){ .sums = NULL };
}
