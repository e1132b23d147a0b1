/* SPDX-License-Identifier: MIT */
/* The mark of a call that blocks: a thread says in its lane what it waits for now. Only the thread itself writes it. */
#ifndef HOTPATH_BLOCKED_MARK_H
#define HOTPATH_BLOCKED_MARK_H

#include "atomic.h"
#include "probe.h"
#include "processor.h"
#include "segment.h"

/** Mark a call, at this stack pointer, but for its time. A signal handler that blocks has a lower stack pointer, and saves
   the mark: it may come at any moment after the first store. */
static inline void hotpath__mark(struct thread *me, const struct hp_blocked *mark, uintptr_t sp)
{
	struct hp_blocked *blocked = &me->lane->blocked;

	store(&me->blocked_sp, sp, RELAXED);
	signal_fence();
	store(&blocked->reason, mark->reason, RELAXED);
	store(&blocked->function, mark->function, RELAXED);
	store(&blocked->target, mark->target, RELAXED);
	store(&blocked->holder, mark->holder, RELAXED);
	store(&blocked->holder_function, mark->holder_function, RELAXED);
	store(&blocked->lock, mark->lock, RELAXED);
	store(&blocked->is_timed, mark->is_timed, RELAXED);
}

/** The call begins: whoever finds the time finds the rest. */
static inline void hotpath__mark_since(struct thread *me, uint64_t since)
{
	/* Pairs with the reader's ACQUIRE, which reads it again after the rest. */
	store(&me->lane->blocked.since, since, RELEASE);
}

/** The call has returned. If a signal handler made it, the call that it has interrupted goes on. */
static inline void hotpath__unmark(struct thread *me, const struct hotpath__blocking *blocking)
{
	store(&me->lane->blocked.since, 0, RELAXED);
	signal_fence();
	store(&me->blocked_sp, blocking->before_sp, RELAXED);
	if (unlikely(blocking->before_sp))
		me->lane->blocked = blocking->before;
}

#endif
