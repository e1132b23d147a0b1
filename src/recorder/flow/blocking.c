/* SPDX-License-Identifier: MIT */
/*
 * Calls that may block, as the probe of waits reports them: what a thread waits for now is in its lane, and what it has
 * waited for is in the stat of an edge.
 */
#include "flow.h"

#include "blocked_mark.h"
#include "calls/entry_points.h"
#include "cpu/wait_stacks.h"
#include "probe.h"
#include "process/clock.h"
#include "process/lifecycle.h"
#include "process/platform.h"
#include "process/settings.h"

static void mark(struct thread *me, const struct hotpath__blocking *blocking, uintptr_t sp)
{
	struct hp_blocked blocked = { .reason = blocking->reason,
				      .function = blocking->function,
				      .target = blocking->target,
				      .holder = blocking->holder,
				      .holder_function = blocking->holder_function,
				      .lock = blocking->lock,
				      .is_timed = blocking->is_timed };

	hotpath__mark(me, &blocked, sp);
	hotpath__mark_since(me, blocking->since);
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
	blocking->call = hotpath__innermost_site(me, sp);
	blocking->function = blocking->call || !from ? blocking->call : site_of_caller(me, from);
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

/* Only this thread writes its mark, and a signal handler that comes in between leaves it as it was. */
void hotpath__block_over(const struct hotpath__blocking *blocking)
{
	struct thread *me = blocking->since ? hotpath__own_state() : NULL;

	if (likely(me != NULL))
		hotpath__unmark(me, blocking);
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
	hotpath__unmark(me, blocking);
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

/* A signal handler that interrupts a call leaves the places as they are: the call may be about to use one. */
SELDOM static uint32_t learn_edge(struct thread *me, struct io_place *place,
				  const struct hotpath__blocking *blocking, uint32_t operation)
{
	uint32_t edge = hotpath__edge_site(HP_SITE_IO, operation, blocking->function,
					   blocking->target);

	if (edge && !me->blocked_sp)
		*place = (struct io_place){ .from = blocking->from,
					    .call = blocking->call,
					    .target = blocking->target,
					    .operation = operation,
					    .function = blocking->function,
					    .edge = edge,
					    .stat = hotpath__flow_stat(me, edge) };
	hotpath__note_own_io();
	return edge;
}

static uint32_t io_edge(struct thread *me, const struct hotpath__blocking *blocking,
			uint32_t operation)
{
	struct io_place *place = hotpath__io_place(me, blocking->from, blocking->target, operation);
	bool is_known = place->from == blocking->from && place->call == blocking->call &&
			place->target == blocking->target && place->operation == operation &&
			place->function == blocking->function && place->edge;

	return likely(is_known) ? place->edge : learn_edge(me, place, blocking, operation);
}

void hotpath__io_end(const struct hotpath__blocking *blocking, uint64_t until, uint32_t operation,
		     const uint64_t counts[HOTPATH__BLOCK_COUNTERS])
{
	uint64_t now = until ? until : hotpath__ticks();
	struct thread *me = blocking->since ? hotpath__flow_enter(hotpath__stack_pointer()) : NULL;

	if (unlikely(!me))
		return;
	hotpath__unmark(me, blocking);
	if (likely(operation != 0))
		finish(me, blocking, now, io_edge(me, blocking, operation), counts);
	if (unlikely(!me->probes_open))
		hotpath__open_probes(me);
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
