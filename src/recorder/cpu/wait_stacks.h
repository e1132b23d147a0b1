/* SPDX-License-Identifier: MIT */
/* The stacks of calls that waited. */
#ifndef HOTPATH_WAIT_STACKS_H
#define HOTPATH_WAIT_STACKS_H

#include "process/thread_state.h"
#include "processor.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* A wait that is over. */
struct wait {
	/* An enum hp_reason; and the site of an edge or of the target, 0 for none. */
	uint32_t reason;
	uint32_t site;
	uint64_t ticks;
	/* The return address of the function of ours that was called. */
	uintptr_t from;
};

/* A wait begins: get all that is needed to take a stack when it ends, which may be inside a lock. The thread is busy. */
void hotpath__ready_wait(struct thread *me, uintptr_t from);

/* Take the stack of a wait, if it is its turn. The thread is busy. */
void hotpath__sample_wait(struct thread *me, const struct wait *wait);

/* The same. Most waits that are shorter than a period end here. */
static inline void hotpath__note_wait(struct thread *me, const struct wait *wait)
{
	struct wait_points *points = &me->waiter.points;
	uint64_t passed = points->passed + wait->ticks;

	if (likely(passed <= points->quiet))
		points->passed = passed;
	else
		hotpath__sample_wait(me, wait);
}

#pragma GCC visibility pop

#endif
