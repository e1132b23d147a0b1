/* SPDX-License-Identifier: MIT */
#include "settling.h"

#include "atomic.h"
#include "calls/stack.h"
#include "process/recorder_state.h"
#include "process/seccomp.h"

#include <sys/mman.h>

/* When the exits of a function were disarmed, 0 for never: the last time, and the first of those between which a call was in
   progress at all times. Its thread may not have noticed yet. */
struct gone {
	uint64_t first;
	uint64_t last;
};

/* By sites. In memory that forked children inherit: their calls begin later. */
static struct gone *all_gone[INDEX_PAGES];
/* Some have gone that threads do not know of. Changed with the lock held. */
static bool some_gone;

/* ---- calls in progress ---- */

static struct hp_stat *stat_on(const struct thread *thread, uint32_t site)
{
	/* Pages are added with the lock held. */
	struct hp_stat **page = thread->index[site / INDEX_PAGE];

	/* ACQUIRE pairs with hotpath__stat. */
	return page ? load(&page[site % INDEX_PAGE], ACQUIRE) : NULL;
}

/* Calls in progress by frames: more than one is known as one, unless the function repeats. */
static uint32_t open_frames(const struct hp_stat *stat)
{
	return load(&stat->repeats, RELAXED) ? load(&stat->depth, RELAXED)
					     : load(&stat->open_since, RELAXED) != 0;
}

/* A stray may end on another thread than it began: only the sum over all threads is right. */
bool hotpath__is_open_anywhere(uint32_t site)
{
	uint32_t session = hotpath__session_number(hotpath__recorder->session);
	int64_t strays = 0;

	for (const struct thread *thread = hotpath__recorder->threads; thread;
	     thread = thread->next) {
		const struct hp_stat *stat = site ? stat_on(thread, site) : NULL;
		if (!stat || load(&thread->lane->session, RELAXED) != session)
			continue;
		if (open_frames(stat))
			return true;
		strays += load(&stat->open, RELAXED);
	}
	return strays > 0;
}

/* ---- exits that have gone ---- */

void hotpath__exits_go(uint32_t site, uint64_t now, bool is_open)
{
	struct gone **page = &all_gone[site / INDEX_PAGE];

	if (!site)
		return;
	if (!*page) {
		void *new = mmap(NULL, INDEX_PAGE * sizeof(**page), PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (new == MAP_FAILED)
			return;
		/* Pairs with hotpath__stale_since: the page is empty, not undefined. */
		store(page, new, RELEASE);
	}
	struct gone *gone = &(*page)[site % INDEX_PAGE];
	if (!gone->first || !is_open)
		store(&gone->first, now, RELAXED);
	store(&gone->last, now, RELAXED);
	some_gone = true;
}

/* The hot path may neither begin nor end a call then. SEQ_CST pairs with its opening: one of the two threads sees the other's
   store. The limit is the last one: whoever finds it closed opens both. */
void hotpath__tell_exits_gone(void)
{
	const struct recorder *recorder = hotpath__recorder;

	for (struct thread *thread = some_gone ? recorder->threads : NULL; thread;
	     thread = thread->next) {
		store(&thread->may_be_stale, true, SEQ_CST);
		store(&thread->fast_since, UINT64_MAX, SEQ_CST);
		store(&thread->limit, thread->frames, SEQ_CST);
	}
	some_gone = false;
}

uint64_t hotpath__stale_since(const struct frame *frame)
{
	if (!(frame->key & KEY_SLED))
		return 0;
	uint32_t site = frame->stat->site;
	/* Pairs with hotpath__exits_go. */
	const struct gone *page = load(&all_gone[site / INDEX_PAGE], ACQUIRE);
	if (!page)
		return 0;
	uint64_t first = load(&page[site % INDEX_PAGE].first, RELAXED);
	uint64_t last = load(&page[site % INDEX_PAGE].last, RELAXED);
	if (frame->start < first)
		return first;
	return frame->start < last ? last : 0;
}

/* A call inside a stale one shows that this is still in progress; the slow path ends both. */
static void mark_inside(struct thread *me)
{
	for (struct frame *frame = me->top; frame > me->frames + 1; frame--)
		if (hotpath__stale_since(frame - 1))
			frame->key |= KEY_SLOW;
}

void hotpath__end_stale(struct thread *me)
{
	/* Before the frames are looked at: what goes meanwhile is told again. ACQUIRE, as a part of that, pairs with
	   hotpath__tell_exits_gone: the times of what has gone are visible. */
	(void)exchange(&me->may_be_stale, false, SEQ_CST);
	while (hotpath__stale_since(me->top))
		hotpath__abandon_top(me);
	mark_inside(me);
}
