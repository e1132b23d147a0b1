/* SPDX-License-Identifier: MIT */
/*
 * The stacks of calls that waited.
 *
 * A wait may take less time than a walk along the stack, so not every wait has its stack taken.
 *
 * The stack is taken when the wait is over, which for a lock is inside it. So room is taken, and code is looked up that was
 * not seen before, when the wait begins.
 */
#include "sampler.h"

#include "probe.h"
#include "process/platform.h"
#include "process/recorder_state.h"
#include "process/room.h"
#include "process/threads.h"
#include "sampling.h"
#include "wait_stacks.h"

enum { PERIODS_PER_SECOND = 10000 };

static void begin(struct thread *me)
{
	uint64_t period = load(&hotpath__header()->ticks_per_second, RELAXED) / PERIODS_PER_SECOND;

	me->waiter.points.random = (uint64_t)me->tid << 32 ^ me->lane->since;
	store(&me->lane->waited.period, period ? period : 1, RELAXED);
	hotpath__choose_point(&me->waiter.points, me->lane->waited.period);
}

static void make_walker(struct waiter *waiter)
{
	struct guard guard;

	if (!hotpath__try_lock(&guard))
		return;
	waiter->walker = hotpath__private(sizeof(*waiter->walker));
	hotpath__unlock(&guard);
}

/* Also if there is no room: that is then found out again only when a stack is taken. */
void hotpath__ready_wait(struct thread *me, uintptr_t from)
{
	struct waiter *waiter = &me->waiter;

	if (!waiter->walker) {
		make_walker(waiter);
		if (!waiter->walker)
			return;
		hotpath__note_watcher();
		/* The modules on the way are found in the kernel's list of mappings. */
		hotpath__walk_caller(waiter->walker, me, from, 0);
	}
	hotpath__ready_wait_stacks(me);
	/* Threads are named after they have begun. Of a program that is killed, these names are the last. */
	hotpath__refresh_name(me);
	waiter->is_ready = true;
}

void hotpath__sample_wait(struct thread *me, const struct wait *wait)
{
	struct waiter *waiter = &me->waiter;

	if (unlikely(!me->lane->waited.period))
		begin(me);
	uint64_t samples = hotpath__count_points(&waiter->points, me->lane->waited.period,
						 wait->ticks);
	if (!samples)
		return;
	add(&me->lane->waited.samples, samples);
	if (!waiter->walker)
		return;
	hotpath__walk_caller(waiter->walker, me, wait->from,
			     hp_frame(HP_FRAME_WAIT, wait->reason, wait->site));
	hotpath__count_wait_stack(me, &waiter->walker->walked, samples);
	waiter->is_ready = hotpath__has_wait_room(me);
}
