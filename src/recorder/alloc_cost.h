/* SPDX-License-Identifier: MIT */
/*
 * What the probe in front of malloc costs the program.
 *
 * For each mode it is measured once, with an allocator that does nothing: the cost when all is in the cache. To follow
 * blocks, the recorder reads memory that programs do not keep in the cache for it, and takes several times as long; so
 * one of 64 such calls is timed where it happens, and what it takes longer than in the rehearsal is added for all.
 *
 *	cost of a call = rehearsed + (mean of those timed − mean of those timed in the rehearsal)
 */
#ifndef HOTPATH_ALLOC_COST_H
#define HOTPATH_ALLOC_COST_H

#include "recorder.h"

enum {
	/* One call of 1 << this is timed. More seldom costs less, but then the code to do it is not in the cache
	   either, which adds to the time. */
	TIMED_SHIFT = 6,
};

#pragma GCC visibility push(hidden)

/* A call that was timed has ended: it counts, less what it takes to read the clock just now, which is longer while other
   programs are busy; and the cost of one becomes what is known by now. */
void hotpath__cost_timed(const struct thread *me, struct timed *timed, uint64_t ticks);
/* What is known of the costs is set for a lane that begins to allocate. The lock is held. */
void hotpath__cost_begin(const struct thread *me);

#pragma GCC visibility pop

/* What was called before has come to an end when the clock is read, and its misses of the cache are in the time. */
static inline uint64_t hotpath__ticks_after(void)
{
#if defined(__aarch64__)
	__asm__ volatile("isb" : : : "memory");
#elif defined(__x86_64__)
	__asm__ volatile("lfence" : : : "memory");
#endif
	return hotpath__ticks();
}

/*
 * When this call began, if it is timed; else 0. Multiples of the golden ratio are spread evenly, and with no period:
 * which calls are timed has nothing to do with the rhythm of the program.
 */
static inline uint64_t hotpath__timed_since(uint64_t number)
{
	bool is_timed = (uint32_t)number * UINT32_C(0x9e3779b1) >> (32 - TIMED_SHIFT) == 0;

	return unlikely(is_timed) ? hotpath__ticks_after() : 0;
}

#endif
