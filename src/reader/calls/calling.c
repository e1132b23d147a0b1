/* SPDX-License-Identifier: MIT */
/* Which threads call a function: its stats, one for each lane. */
#include "calling.h"

#include "atomic.h"
#include "stat_sum.h"

#include <errno.h>
#include <stdlib.h>

/* The last byte of the array is never written, so it is the NUL. */
static void copy_name(const struct hp_lane *lane, char name[HP_NAME_MAX])
{
	for (size_t i = 0; i < HP_NAME_MAX - 1; i++)
		name[i] = load(&lane->name[i], RELAXED);
}

/* The total of a stat, including the calls that are still only in its ring. */
static uint64_t total(const struct hp_snapshot *snapshot, const struct hp_lane *lane,
		      const struct hp_stat *stat)
{
	uint64_t calls = load(&stat->calls, RELAXED);
	/* Pairs with the RELEASE of flushing: what is not in the figures is in the ring. */
	uint64_t flushed = load(&stat->flushed, ACQUIRE);
	uint64_t sum = load(&stat->total, RELAXED);
	bool is_caller = stat->site == load(&snapshot->header->caller, RELAXED);

	for (uint64_t i = flushed; i < calls && i - flushed < HP_FLUSH; i++) {
		uint64_t packed = load(&stat->ring[i % HP_RING].duration, RELAXED);
		sum += packed & HP_CALL_NESTED ? 0 : packed & HP_CALL_DURATION;
	}
	return sum + hp_stat_so_far(snapshot, lane, stat, is_caller);
}

static void set(struct hp_calling *thread, const struct hp_snapshot *snapshot,
		const struct hp_lane *lane, const struct hp_stat *stat)
{
	uint64_t open = (uint64_t)load(&stat->open, RELAXED) + hp_stat_depth(stat);

	*thread = (struct hp_calling){
		.tid = load(&lane->tid, RELAXED),
		.calls = load(&stat->calls, RELAXED),
		.open = (int64_t)open > 0 ? open : 0,
		.total_ns = hp_snapshot_ns(snapshot, total(snapshot, lane, stat)),
	};
	copy_name(lane, thread->name);
}

static int most_first(const void *left, const void *right)
{
	const struct hp_calling *a = left, *b = right;

	if (a->calls != b->calls)
		return a->calls < b->calls ? 1 : -1;
	return (a->tid > b->tid) - (a->tid < b->tid);
}

ssize_t hp_calling_find(const struct hp_snapshot *snapshot, const struct hp_stat_index *index,
			uint32_t id, struct hp_calling **calling)
{
	struct hp_stat_site site = hp_stat_index_site(index, id);
	struct hp_calling *threads = site.count ? calloc(site.count, sizeof(*threads)) : NULL;
	size_t count = 0;

	*calling = NULL;
	if (!threads)
		return site.count ? -ENOMEM : 0;
	for (uint32_t at = site.first; at; at = index->entries[at - 1].next) {
		const struct hp_lane *lane;
		const struct hp_stat *stat = hp_stat_index_stat(index, snapshot,
								&index->entries[at - 1], &lane);
		if (stat)
			set(&threads[count++], snapshot, lane, stat);
	}
	qsort(threads, count, sizeof(*threads), most_first);
	*calling = threads;
	return (ssize_t)count;
}
