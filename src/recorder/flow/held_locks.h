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

/**
 * This thread has acquired a lock. Returns the place of its number; HP_HELD_MAX if there is none, because the lock has no
 * number, or the thread holds many.
 */
static inline unsigned hotpath__hold(struct thread *me, uint32_t lock)
{
	unsigned place = me->held_count;

	if (unlikely(place >= HP_HELD_MAX || !lock))
		return hotpath__hold_in_gap(me, lock);
	store(&me->lane->held[place], lock, RELAXED);
	me->held_count = place + 1;
	return place;
}

/** This thread is about to release the lock that has this place. */
static inline void hotpath__unhold(struct thread *me, unsigned place)
{
	if (likely(place < HP_HELD_MAX))
		store(&me->lane->held[place], 0, RELAXED);
}

/** It has released it: the place may be used again. If it is the last one, so are the free ones before it. */
static inline void hotpath__free_place(struct thread *me, unsigned place)
{
	if (unlikely(place + 1 != me->held_count))
		return;
	while (unlikely(place && !me->lane->held[place - 1]))
		place--;
	me->held_count = place;
}

#endif
