/* SPDX-License-Identifier: MIT */
/* Which threads call a function: its stats, one for each lane. */
#include "reader.h"

#include "atomic.h"
#include "snapshot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct search {
	const struct hp_snapshot *snapshot;
	uint32_t site;
	struct hp_calling *threads;
	size_t count;
};

/* The last byte is never written. */
static void copy_name(const struct hp_lane *lane, char name[HP_NAME_MAX])
{
	for (size_t i = 0; i < HP_NAME_MAX - 1; i++)
		name[i] = load(&lane->name[i], RELAXED);
}

/* Calls that wait in the ring are not in the total yet. */
static uint64_t total(const struct hp_snapshot *snapshot, const struct hp_stat *stat)
{
	uint64_t calls = load(&stat->calls, RELAXED);
	/* Pairs with the RELEASE of flushing: what is not in the figures is in the ring. */
	uint64_t flushed = load(&stat->flushed, ACQUIRE);
	uint64_t sum = load(&stat->total, RELAXED), since = load(&stat->open_since, RELAXED);
	bool open = load(&stat->depth, RELAXED) || load(&stat->open, RELAXED) > 0;

	for (uint64_t i = flushed; i < calls && i - flushed < HP_RING; i++) {
		uint64_t packed = load(&stat->durations[i % HP_RING], RELAXED);
		sum += packed & HP_CALL_NESTED ? 0 : packed & HP_CALL_DURATION;
	}
	return open && since && since < snapshot->now ? sum + snapshot->now - since : sum;
}

static bool collect(void *context, const struct hp_lane *lane, const struct hp_stat *stat)
{
	struct search *search = context;
	uint64_t open = (uint64_t)load(&stat->open, RELAXED) + load(&stat->depth, RELAXED);

	if (stat->site != search->site)
		return true;
	struct hp_calling *threads = reallocarray(search->threads, search->count + 1,
						  sizeof(*threads));
	if (!threads)
		return false;
	search->threads = threads;
	struct hp_calling *thread = &threads[search->count++];
	*thread = (struct hp_calling){
		.tid = load(&lane->tid, RELAXED),
		.calls = load(&stat->calls, RELAXED),
		.open = (int64_t)open > 0 ? open : 0,
		.total_ns = hp_snapshot_ns(search->snapshot, total(search->snapshot, stat)),
	};
	copy_name(lane, thread->name);
	return true;
}

static int most_first(const void *left, const void *right)
{
	const struct hp_calling *a = left, *b = right;

	if (a->calls != b->calls)
		return a->calls < b->calls ? 1 : -1;
	return (a->tid > b->tid) - (a->tid < b->tid);
}

ssize_t hp_calling_threads(const void *bytes, size_t size, uint32_t id, bool running,
			   struct hp_calling **calling, struct hp_error *error)
{
	struct hp_snapshot snapshot;
	struct search search = { .snapshot = &snapshot, .site = id };
	const char *problem = hp_snapshot_open(&snapshot, bytes, size, running);

	*calling = NULL;
	if (!problem && !hp_snapshot_each_stat(&snapshot, collect, &search))
		problem = "out of memory";
	if (problem) {
		snprintf(error->text, sizeof(error->text), "%s", problem);
		free(search.threads);
		return -EINVAL;
	}
	if (search.count)
		qsort(search.threads, search.count, sizeof(*search.threads), most_first);
	*calling = search.threads;
	return (ssize_t)search.count;
}
