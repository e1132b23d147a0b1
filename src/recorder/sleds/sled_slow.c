/* SPDX-License-Identifier: MIT */
/* The slow path of functions with sleds: first calls, other stacks, other clocks, and what was left without an exit. */
#include "sled_calls.h"

#include "calls/branch.h"
#include "calls/entry_points.h"
#include "calls/hot_call.h"
#include "calls/modules.h"
#include "calls/own_work.h"
#include "calls/stack.h"
#include "calls/stray.h"
#include "governor.h"
#include "process/clock.h"
#include "process/lifecycle.h"
#include "process/platform.h"
#include "process/recorder_state.h"
#include "restraint.h"
#include "settling.h"
#include "sleds.h"

/* Begin a call as the hot path does, and time that. What else it takes is subtracted from the call around. */
static bool begin_timed(struct thread *me, uintptr_t body, uintptr_t sp, uintptr_t from)
{
	uint64_t since = hotpath__ticks();

	me->times_next = false;
	hotpath__open_hot_path(me);
	uint64_t before = hotpath__counter_in_order();
	if (!hotpath__begin_sled_at_once(me, body, sp, from) &&
	    !hotpath__begin_sled(me, body, sp, from))
		return false;
	uint64_t start = me->top->start = hotpath__counter_in_order();
	hotpath__add_timed(me, &hotpath__recorder->followed_cost, start - before);
	me->top[-1].lost += (before - since) << 8;
	add(&me->lane->slow, before - since);
	return true;
}

/* Whether this beginning was one of those that are timed. */
static bool times_beginning(uintptr_t body, uintptr_t sp, uintptr_t from)
{
	struct thread *me = hotpath__me;

	if (!me || me->busy != READY || !me->times_next)
		return false;
	hotpath__enter_busy(me, sp);
	bool began = begin_timed(me, body, sp, from);
	hotpath__leave_busy(me);
	return began;
}

void hotpath__sled_enter_slow(uintptr_t body, uintptr_t sp, uintptr_t from)
{
	if (times_beginning(body, sp, from))
		return;
	hotpath__enter_address((struct entering){ .function = hotpath__sled_function(body),
						  .what = body,
						  .key = body | KEY_SLED,
						  .sp = sp,
						  .from = from });
	const struct thread *me = hotpath__own_state();
	const struct branch *branch = me && me->busy == READY ? hotpath__slot(me, body)->branch
							      : NULL;
	if (!branch || !branch->stat || hotpath__is_governed(branch->stat->site))
		return;
	struct own_work work = hotpath__own_work_begins();
	hotpath__sled_is_called(body, branch->stat->site);
	hotpath__own_work_ends(work);
}

/* The branch that calls of a function are counted in; NULL when it is not measured. */
static struct branch *branch_of(struct thread *me, uintptr_t body)
{
	struct branch *branch = hotpath__slot(me, body)->branch;
	uint32_t site = branch ? 0 : hotpath__function_site(hotpath__sled_function(body));

	if (branch || !site)
		return branch;
	if (site != SITE_SKIPPED)
		branch = hotpath__branch(me, me->top->branch, site);
	hotpath__know_address(me, body, branch);
	return branch;
}

void hotpath__sled_count_slow(uintptr_t body, uintptr_t sp)
{
	if (hotpath__is_locking())
		return;
	struct thread *me = hotpath__enter(sp);
	if (!me)
		return;
	hotpath__enter_busy(me, sp);
	const struct branch *branch = branch_of(me, body);
	if (branch && branch->stat) {
		add(&branch->stat->counted, 1);
		if (branch->stat->counted % SLED_COUNTS == 0)
			me->governed.counted += SLED_COUNTS;
	}
	hotpath__open_hot_path(me);
	if (hotpath__ticks() >= me->governed.due)
		hotpath__govern(me);
	hotpath__leave_busy(me);
}

static bool ends_at(const struct frame *frame, uintptr_t height)
{
	return frame->height == height && frame->key & KEY_SLED;
}

/* End the call that began at this height. Without one, what is below was left all the same; unless this is a signal handler on
   a stack of its own. */
static void leave_at(struct thread *me, uintptr_t height, uint64_t now)
{
	const struct frame *frame = me->top;

	while (frame > me->frames && frame->height <= height && !ends_at(frame, height))
		frame--;
	if (frame > me->frames && ends_at(frame, height)) {
		hotpath__end_frame(me, frame, now);
		return;
	}
	if (me->top->height < height && hotpath__on_signal_stack())
		return;
	while (me->top > me->frames && me->top->height < height)
		hotpath__abandon_top(me);
}

void hotpath__sled_exit_slow(uintptr_t sp, uint64_t now)
{
	if (hotpath__is_locking())
		return;
	struct thread *me = hotpath__ending_state(sp);
	if (!me)
		return;
	if (hotpath__monotonic)
		now = hotpath__monotonic_ns();
	hotpath__enter_busy(me, sp);
	/* This exit may be that of a later call at the same height, which is not measured. */
	if (unlikely(load(&me->may_be_stale, RELAXED)))
		hotpath__end_stale(me);
	if (!hotpath__stray_sled_exit(me, sp, now) &&
	    (!hotpath__is_first(me) || hotpath__own_stack(me, sp)))
		leave_at(me, sp - me->stack_low, now);
	/* Ending a call with a tally takes longer; that is subtracted from the call around it. */
	uint64_t then = hotpath__ticks();
	me->top->lost += (then - now) << 8;
	if (then >= me->governed.due && me->session == load(&hotpath__recorder->session, RELAXED))
		hotpath__govern(me);
	hotpath__leave_busy(me);
}
