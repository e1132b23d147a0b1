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

/** This thread is about to release one. It may be any of those that it holds, or none. */
static inline void hotpath__unhold(struct thread *me, uint32_t lock)
{
	unsigned last = me->held_count - 1;
	uint32_t *held = me->lane->held;

	if (unlikely(last >= HP_HELD_MAX || held[last] != lock)) {
		hotpath__unhold_other(me, lock);
		return;
	}
	store(&held[last], 0, RELAXED);
	me->held_count = last;
}

#endif
