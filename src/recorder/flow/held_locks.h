/* SPDX-License-Identifier: MIT */
/*
 * The locks that a thread holds: their numbers are in its lane, so that a reader finds who holds the lock that another thread
 * waits for.
 *
 * A lock is noted after it was acquired, and taken out before it is released: whoever is found with it, holds it.
 */
#ifndef HOTPATH_HELD_LOCKS_H
#define HOTPATH_HELD_LOCKS_H

#include "atomic.h"
#include "probe.h"
#include "processor.h"
#include "segment.h"

/** This thread has acquired a lock. If it holds many, this one is not known. */
static inline void hotpath__hold(struct thread *me, uint32_t lock)
{
	unsigned count = me->held_count;

	if (likely(count < HP_HELD_MAX))
		store(&me->lane->held[count], lock, RELAXED);
	me->held_count = count + 1;
}

/** Whether a lock is the last one that this thread has acquired, of those that it holds. */
static inline bool hotpath__is_last_held(const struct thread *me, uint32_t lock)
{
	unsigned last = me->held_count - 1;

	return likely(last < HP_HELD_MAX && me->lane->held[last] == lock);
}

/** This thread is about to release that one. */
static inline void hotpath__unhold_last(struct thread *me)
{
	unsigned last = me->held_count - 1;

	store(&me->lane->held[last], 0, RELAXED);
	me->held_count = last;
}

/** The same for any of those that it holds, or one that it does not. */
static inline void hotpath__unhold(struct thread *me, uint32_t lock)
{
	if (hotpath__is_last_held(me, lock))
		hotpath__unhold_last(me);
	else
		hotpath__unhold_other(me, lock);
}

#endif
