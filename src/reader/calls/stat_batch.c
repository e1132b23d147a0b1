/* SPDX-License-Identifier: MIT */
/* Adds up the stats of many sites at once, in the order in which they lie in the segment. */
#include "stat_batch.h"

#include "array.h"
#include "atomic.h"

#include <stdlib.h>
#include <string.h>

/* The kernel maps so much of a file when one of its pages is touched. */
#define PART UINT64_C(65536)

enum {
	/* Parts that may be mapped at a time: 6 MB. */
	PARTS_MOST = 96,
};

static size_t words_of(uint64_t parts)
{
	return (size_t)(parts / 64 + 1);
}

bool hp_stat_batch_begin(struct hp_stat_batch *batch, struct hp_bytes bytes)
{
	batch->count = 0;
	if (!batch->sums)
		batch->sums = calloc(HP_STAT_BATCH_SITES, sizeof(*batch->sums));
	if (!batch->touched) {
		batch->part_count = bytes.size / PART + 1;
		batch->touched = calloc(words_of(batch->part_count), sizeof(*batch->touched));
	}
	return batch->sums && batch->touched;
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

static void touch(struct hp_stat_batch *batch, uint64_t at)
{
	uint64_t part = at / PART, bit = UINT64_C(1) << part % 64;

	if (!at || part >= batch->part_count || batch->touched[part / 64] & bit)
		return;
	batch->touched[part / 64] |= bit;
	batch->touched_count++;
}

static void touch_octaves(struct hp_stat_batch *batch, const uint32_t octaves[HP_OCTAVES])
{
	for (unsigned i = 0; i < HP_OCTAVES; i++)
		touch(batch, (uint64_t)load(&octaves[i], RELAXED) * 64);
}

/* Note what was read for a stat, and have the mapping given back if that is enough. */
static void note_touched(struct hp_stat_batch *batch, const struct hp_stat_index *index,
			 struct hp_bytes bytes, uint64_t at, const struct hp_stat *stat)
{
	uint64_t alloc_at = load(&stat->alloc, RELAXED);
	const struct hp_alloc *alloc = hp_check_alloc(bytes, alloc_at);

	if (!index->pause)
		return;
	touch(batch, at);
	touch_octaves(batch, stat->octaves);
	if (alloc)
		touch(batch, alloc_at);
	for (unsigned i = 0; alloc && i < HP_ALLOC_HISTOGRAMS; i++)
		touch_octaves(batch, alloc->octaves[i]);
	if (batch->touched_count < PARTS_MOST)
		return;
	index->pause(index->context);
	memset(batch->touched, 0, words_of(batch->part_count) * sizeof(*batch->touched));
	batch->touched_count = 0;
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
	note_touched(batch, index, snapshot->bytes, due->at, stat);
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
	free(batch->touched);
	*batch = (struct hp_stat_batch){ .sums = NULL };
}
