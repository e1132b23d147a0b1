/* SPDX-License-Identifier: MIT */
/*
 * Locks, as the probe in front of the C library reports them.
 *
 * A lock has a site; what a thread does with it is in the stat of that site, in two parts: how long the lock was held,
 * and how long the thread waited for it. Who waits for whom is a site too, one for each function that waits, function
 * that holds, and lock.
 */
#include "flow.h"

#include "calls/entry_points.h"
#include "calls/modules.h"
#include "held_locks.h"
#include "probe.h"
#include "process/clock.h"
#include "process/lifecycle.h"
#include "process/platform.h"

/* Frames of functions that longjmp has left are below the stack pointer. */
uint32_t hotpath__innermost_site(struct thread *me, uintptr_t sp)
{
	struct open_call call = hotpath__innermost(me, sp);
	const struct frame *frame = call.frame;

	if (unlikely(call.stray != NULL))
		return (uint32_t)call.stray->branch->site;
	while (frame > me->frames && unlikely(frame->height + me->stack_low < sp))
		frame--;
	return frame > me->frames ? (uint32_t)frame->branch->site : 0;
}

static struct hotpath__here here_of(struct thread *me, uintptr_t sp, bool timed)
{
	uint32_t site = hotpath__innermost_site(me, sp);

	return (struct hotpath__here){ timed ? hotpath__ticks() : 1, site, me->tid };
}

struct hotpath__here hotpath__here(void)
{
	uintptr_t sp = hotpath__stack_pointer();
	struct thread *me = hotpath__flow_enter(sp);
	struct hotpath__here here = { 0, 0, 0 };

	if (unlikely(!me))
		return here;
	here = here_of(me, sp, true);
	hotpath__leave_busy(me);
	return here;
}

void hotpath__prepare(uint32_t site)
{
	struct thread *me = hotpath__flow_enter(hotpath__stack_pointer());

	if (!me)
		return;
	hotpath__flow_stat(me, site);
	if (!me->probes_open)
		hotpath__open_probes(me);
	hotpath__leave_busy(me);
}

struct hotpath__here hotpath__acquired(uint32_t site, bool timed)
{
	uintptr_t sp = hotpath__stack_pointer();
	struct thread *me = hotpath__flow_enter(sp);
	struct hotpath__here here = { 0, 0, 0 };

	if (unlikely(!me))
		return here;
	struct hp_stat *stat = hotpath__flow_stat(me, site);
	if (likely(stat != NULL)) {
		add(&stat->flow[HP_LOCK_ACQUIRED], 1);
		here = here_of(me, sp, timed);
	}
	hotpath__leave_busy(me);
	return here;
}

void hotpath__released(uint32_t site, uint64_t since, uint64_t until)
{
	struct thread *me = hotpath__flow_enter(hotpath__stack_pointer());

	if (unlikely(!me))
		return;
	struct hp_stat *stat = hotpath__flow_stat(me, site);
	/* It may have been acquired in an earlier session. */
	if (likely(stat != NULL) && likely(since >= me->session_start))
		hotpath__flow_took(me, stat, until, hotpath__less(until, since));
	hotpath__leave_busy(me);
}

void hotpath__ring_is_due(struct thread *me, struct hp_stat *stat)
{
	hotpath__enter_busy(me, hotpath__stack_pointer());
	hotpath__flush(me, stat);
	hotpath__leave_busy(me);
}

/* Places are free before the last one if locks were not released in the opposite order. */
unsigned hotpath__hold_in_gap(struct thread *me, uint32_t lock)
{
	unsigned place = 0;

	while (lock && place < HP_HELD_MAX && me->lane->held[place])
		place++;
	if (!lock || place == HP_HELD_MAX)
		return HP_HELD_MAX;
	store(&me->lane->held[place], lock, RELAXED);
	return place;
}

void hotpath__unhold_lock(struct thread *me, uint32_t lock)
{
	unsigned place = me->held_count;

	while (place && me->lane->held[place - 1] != lock)
		place--;
	if (!place || !lock)
		return;
	hotpath__unhold(me, place - 1);
	hotpath__free_place(me, place - 1);
}

/* ---- sites ---- */

uint32_t hotpath__lock_site(uint32_t kind, uintptr_t object, uintptr_t from, bool *is_static)
{
	struct guard guard;

	*is_static = false;
	if (hotpath__is_idle() || hotpath__ready() != STATE_RUNNING)
		return 0;
	hotpath__lock(&guard);
	uint32_t site = hotpath__site_of_object((enum hp_site_kind)kind, object, from, is_static);
	hotpath__unlock(&guard);
	return site;
}

void hotpath__instance(uint32_t site, bool is_new)
{
	struct hp_shared *shared = hotpath__has_segment() ? hotpath__shared(site) : NULL;

	if (shared)
		fetch_add(is_new ? &shared->instances : &shared->closed, 1, RELAXED);
}

/* Forked children go on from here: they have the locks of their parent. */
uint32_t hotpath__lock_number(void)
{
	static uint32_t last;

	return fetch_add(&last, 1, RELAXED) + 1;
}

void hotpath__lock_lost(void)
{
	hotpath__count(HP_COUNTER_locks);
}
