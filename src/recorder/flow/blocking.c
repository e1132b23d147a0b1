/* SPDX-License-Identifier: MIT */
/*
 * Calls that may block, as the probe of waits reports them: what a thread waits for now is in its lane, and what it has
 * waited for is in the stat of an edge.
 */
#include "flow.h"

#include "cpu/wait_stacks.h"
#include "probe.h"
#include "process/clock.h"
#include "process/lifecycle.h"
#include "process/platform.h"
#include "process/settings.h"

static void mark(struct thread *me, const struct hotpath__blocking *blocking, uintptr_t sp)
{
	struct hp_blocked *blocked = &me->lane->blocked;

	me->blocked_sp = sp;
	store(&blocked->reason, blocking->reason, RELAXED);
	store(&blocked->function, blocking->function, RELAXED);
	store(&blocked->target, blocking->target, RELAXED);
	store(&blocked->holder, blocking->holder, RELAXED);
	store(&blocked->holder_function, blocking->holder_function, RELAXED);
	store(&blocked->lock, blocking->lock, RELAXED);
	store(&blocked->is_timed, blocking->is_timed, RELAXED);
	/* Pairs with the reader's ACQUIRE, which reads it again after the rest. */
	store(&blocked->since, blocking->since, RELEASE);
}

static uint32_t site_of_caller(struct thread *me, uintptr_t from)
{
	uint32_t unloads = load(&hotpath__recorder->unloads, RELAXED);
	unsigned at = (unsigned)(from >> 2 ^ from >> 7) % CALLERS;

	if (likely(me->callers[at].from == from && me->callers[at].unloads == unloads))
		return me->callers[at].site;
	uint32_t site = hotpath__flow_site(HP_SITE_CALL, NULL, from);
	if (site) {
		me->callers[at].from = from;
		me->callers[at].unloads = unloads;
		me->callers[at].site = site;
	}
	return site;
}

/* The function: that of the measured call, or of the call that blocks. */
static uint32_t function_here(struct thread *me, uintptr_t sp, uintptr_t from)
{
	uint32_t call = hotpath__innermost_site(me, sp);

	return call || !from ? call : site_of_caller(me, from);
}

void hotpath__block_begin(struct hotpath__blocking *blocking, uintptr_t from)
{
	uintptr_t sp = hotpath__stack_pointer();

	blocking->since = 0;
	struct thread *me = hotpath__is_at_work() ? NULL : hotpath__flow_enter(sp);
	if (unlikely(!me))
		return;
	/* A signal handler interrupts a call that blocks: its stack pointer is lower. If it is not, that call was left by
	   longjmp. */
	blocking->before = (struct hp_blocked){ 0 };
	blocking->before_sp = 0;
	if (unlikely(me->blocked_sp > sp)) {
		blocking->before = me->lane->blocked;
		blocking->before_sp = me->blocked_sp;
	}
	blocking->function = function_here(me, sp, from);
	blocking->from = from;
	if (unlikely(!me->waiter.is_ready))
		hotpath__ready_wait(me, from);
	blocking->since = hotpath__ticks();
	/* A lock of the program's own make may wait by such a call: that lock is what the thread waits for. */
	if (likely(!me->own_locks.lock || !blocking->before.since))
		mark(me, blocking, sp);
	hotpath__leave_busy(me);
}

/* The call itself has no stack if it began in an earlier session. */
static void note(struct thread *me, const struct hotpath__blocking *blocking, uint32_t site,
		 uint64_t ticks)
{
	struct wait wait = { blocking->reason, site ? site : blocking->target, ticks,
			     blocking->from };

	if (likely(blocking->since >= me->session_start))
		hotpath__note_wait(me, &wait);
}

static void unmark(struct thread *me, const struct hotpath__blocking *blocking)
{
	store(&me->lane->blocked.since, 0, RELAXED);
	me->blocked_sp = blocking->before_sp;
	if (unlikely(blocking->before.since))
		me->lane->blocked = blocking->before;
}

/* Only this thread writes its mark, and a signal handler that comes in between leaves it as it was. */
void hotpath__block_over(const struct hotpath__blocking *blocking)
{
	struct thread *me = blocking->since ? hotpath__own_state() : NULL;

	if (likely(me != NULL))
		unmark(me, blocking);
}

/* Record a call that ended now, and count it in the stat of a site, unless that is 0. */
static uint64_t finish(struct thread *me, const struct hotpath__blocking *blocking, uint64_t now,
		       uint32_t site, const uint64_t counts[HOTPATH__BLOCK_COUNTERS])
{
	/* It may have begun in an earlier session. */
	struct hp_stat *stat = site && blocking->since >= me->session_start
				       ? hotpath__flow_stat(me, site)
				       : NULL;
	uint64_t ticks = hotpath__less(now, blocking->since);

	if (likely(stat != NULL)) {
		for (unsigned i = 0; counts && i < HOTPATH__BLOCK_COUNTERS; i++)
			if (counts[i])
				add(&stat->flow[i], counts[i]);
		hotpath__flow_took(me, stat, now, ticks);
	}
	note(me, blocking, site, ticks);
	return ticks;
}

uint64_t hotpath__block_end(const struct hotpath__blocking *blocking, uint32_t site,
			    const uint64_t counts[HOTPATH__BLOCK_COUNTERS])
{
	uint64_t now = hotpath__ticks();
	struct thread *me = blocking->since ? hotpath__flow_enter(hotpath__stack_pointer()) : NULL;

	if (unlikely(!me))
		return 0;
	unmark(me, blocking);
	uint64_t ticks = finish(me, blocking, now, site, counts);
	hotpath__leave_busy(me);
	return ticks;
}

void hotpath__waited(uint32_t reason, uint32_t site, uint64_t ticks, uintptr_t from)
{
	struct thread *me = hotpath__flow_enter(hotpath__stack_pointer());
	struct wait wait = { reason, site, ticks, from };

	if (unlikely(!me))
		return;
	hotpath__note_wait(me, &wait);
	hotpath__leave_busy(me);
}

static uint32_t io_edge(struct thread *me, uint32_t operation, uint32_t function, uint32_t target)
{
	unsigned at = (target * 5 + function * 3 + operation) % CALLERS;

	if (likely(me->io_edges[at].operation == operation &&
		   me->io_edges[at].function == function && me->io_edges[at].target == target &&
		   me->io_edges[at].edge))
		return me->io_edges[at].edge;
	uint32_t edge = hotpath__edge_site(HP_SITE_IO, operation, function, target);
	me->io_edges[at].operation = operation;
	me->io_edges[at].function = function;
	me->io_edges[at].target = target;
	me->io_edges[at].edge = edge;
	hotpath__note_own_io();
	return edge;
}

void hotpath__io_end(const struct hotpath__blocking *blocking, uint64_t until, uint32_t operation,
		     const uint64_t counts[HOTPATH__BLOCK_COUNTERS])
{
	uint64_t now = until ? until : hotpath__ticks();
	struct thread *me = blocking->since ? hotpath__flow_enter(hotpath__stack_pointer()) : NULL;

	if (unlikely(!me))
		return;
	unmark(me, blocking);
	if (likely(operation != 0))
		finish(me, blocking, now,
		       io_edge(me, operation, blocking->function, blocking->target), counts);
	hotpath__leave_busy(me);
}

bool hotpath__may_block(void)
{
	return !hotpath__is_at_work() && !hotpath__is_idle();
}

unsigned hotpath__waits_wanted(void)
{
	return hotpath__settings()->off ? 0 : hotpath__settings()->waits;
}
