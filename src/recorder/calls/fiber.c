/* SPDX-License-Identifier: MIT */
/*
 * Coroutines: which one this thread executes, as far as the program or swapcontext tells. Calls on its stack are
 * strays; the coroutine's id decides which strays are nested in each other.
 */
#include "stray.h"

#include "process/handover.h"
#include "process/lifecycle.h"

void hotpath__fiber(uint64_t id, uintptr_t low, uintptr_t high)
{
	struct thread *me = hotpath__own_state();

	if (!me)
		return;
	store(&me->fiber, 0, RELAXED);
	signal_fence();
	store(&me->fiber_low, low, RELAXED);
	store(&me->fiber_high, high, RELAXED);
	signal_fence();
	store(&me->fiber, id, RELAXED);
}

void hotpath_fiber_switch(uint64_t id)
{
	if (hotpath__me)
		hotpath__fiber(id, 0, UINTPTR_MAX);
	else if (!hotpath__is_idle() && hotpath__state() == STATE_HANDED_OVER)
		hotpath__recorder->other->fiber_switch(id);
}
