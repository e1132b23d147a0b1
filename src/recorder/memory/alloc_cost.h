/* SPDX-License-Identifier: MIT */
/*
 * What the malloc probe costs the program.
 *
 * It is measured once in a *rehearsal*, with an allocator that does nothing: that is the cost with warm caches. In the
 * program, following a block reads memory that is often not in the cache, and takes several times as long; so one in
 * 64 of those calls is timed as it happens, and what it takes longer than in the rehearsal is added for all.
 *
 *	cost of a call = rehearsed + (mean of the timed calls − mean of the timed calls in the rehearsal)
 */
#ifndef HOTPATH_ALLOC_COST_H
#define HOTPATH_ALLOC_COST_H

#include "process/clock.h"
#include "processor.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	/* One call in 1 << TIMED_SHIFT is timed. To time fewer would cost less, but the code that does it would
	   not be in the cache then, which adds to the measured time. */
	TIMED_SHIFT = 6,
};

struct thread;
struct timed;

#pragma GCC visibility push(hidden)

/* Add a timed call, less the time to read the clock, which is measured again here because it takes longer while
   other programs are busy; and update the costs of the lane. */
void hotpath__cost_timed(const struct thread *me, struct timed *timed, uint64_t ticks);
/* Set the costs of a lane that begins to allocate; measures them if this is the first one. The lock is held. */
void hotpath__cost_begin(const struct thread *me);

#pragma GCC visibility pop

/* Read the clock after all earlier instructions have completed, so that their cache misses are included in the
   time. */
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
 * When this call began, if it is one that is timed; else 0. The calls are chosen by multiples of the golden ratio,
 * which are spread evenly and have no period; so the choice does not depend on patterns of the program.
 */
static inline uint64_t hotpath__timed_since(uint64_t number)
{
	bool is_timed = (uint32_t)number * UINT32_C(0x9e3779b1) >> (32 - TIMED_SHIFT) == 0;

	return unlikely(is_timed) ? hotpath__ticks_after() : 0;
}

#endif
