/* SPDX-License-Identifier: MIT */
/* Adds up the stats of many sites at once, in the order in which they lie in the segment. */
#include "stat_batch.h"

#include "array.h"

#include <stdlib.h>

bool hp_stat_batch_begin(struct hp_stat_batch *batch)
{
	batch->count = 0;
	if (!batch->sums)
		batch->sums = calloc(HP_STAT_BATCH_SITES, sizeof(*batch->sums));
	return batch->sums;
}

bool hp_stat_batch_want(struct hp_stat_batch *batch, const struct hp_stat_index *index, uint32_t id,
			uint32_t sum)
{
	uint32_t at = hp_stat_index_site(index, id).first;

	hp_stat_sum_begin(&batch->sums[sum]);
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

static void add_stat(struct hp_stat_batch *batch, const struct hp_stat_due *due,
		     struct hp_stat_index *index, const struct hp_snapshot *snapshot,
		     uint32_t caller)
{
	struct hp_stat_entry *entry = &index->entries[due->entry];
	const struct hp_lane *lane;
	const struct hp_stat *stat = hp_stat_index_stat(index, snapshot, entry, &lane);

	if (!stat)
		return;
	uint64_t calls = hp_stat_sum_add(&batch->sums[due->sum], snapshot, lane, stat,
					 due->sum == caller);
	hp_stat_index_count(index, entry, calls);
	hp_stat_index_touch_stat(index, snapshot, stat);
}

void hp_stat_batch_add_up(struct hp_stat_batch *batch, struct hp_stat_index *index,
			  const struct hp_snapshot *snapshot, uint32_t caller)
{
	if (batch->count)
		qsort(batch->items, batch->count, sizeof(*batch->items), by_offset);
	for (size_t i = 0; i < batch->count; i++)
		add_stat(batch, &batch->items[i], index, snapshot, caller);
}

void hp_stat_batch_free(struct hp_stat_batch *batch)
{
	for (size_t i = 0; batch->sums && i < HP_STAT_BATCH_SITES; i++)
		hp_stat_sum_end(&batch->sums[i]);
	free(batch->sums);
	free(batch->items);
	*batch = (struct hp_stat_batch){ .sums = NULL };
}
