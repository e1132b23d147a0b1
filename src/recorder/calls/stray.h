/* SPDX-License-Identifier: MIT */
/*
 * Strays: open calls on another stack than the thread's own, such as that of a coroutine. The thread is busy in all
 * functions but hotpath__fiber.
 */
#ifndef HOTPATH_STRAY_H
#define HOTPATH_STRAY_H

#include "hotpath/abi.h"

#include "frame.h"
#include "process/thread_state.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Begin a stray. For a function, span is NULL and key its address. */
void hotpath__stray_begin(struct thread *me, uint32_t site, uintptr_t key,
			  struct hotpath_span *span, uintptr_t sp);
void hotpath__stray_end(struct thread *me, struct hotpath_span *span, uint64_t now);
/* End the stray of a function that is being left, if there is one that is closer than `reach`. */
bool hotpath__stray_exit(struct thread *me, struct leaving leaving, uint64_t now, uintptr_t reach);
/* End the stray of a function with sleds that began at this stack pointer; false if there is none. */
bool hotpath__stray_sled_exit(struct thread *me, uintptr_t sp, uint64_t now);
/* The innermost stray around code that runs at this stack pointer; NULL when there is none. */
struct stray *hotpath__stray_around(struct thread *me, uintptr_t sp);

/* This thread switches to a coroutine, whose stack has these bounds; 0 and UINTPTR_MAX when they are not known. */
void hotpath__fiber(uint64_t id, uintptr_t low, uintptr_t high);

#pragma GCC visibility pop

/* The coroutine that runs at this stack pointer; 0 when that is not known. */
static inline uint64_t hotpath__fiber_at(const struct thread *me, uintptr_t sp)
{
	return me->fiber && sp - me->fiber_low <= me->fiber_high - me->fiber_low ? me->fiber : 0;
}

#endif
