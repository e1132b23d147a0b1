/* SPDX-License-Identifier: MIT */
#include "own_work.h"

#include "atomic.h"
#include "process/clock.h"
#include "process/recorder_state.h"
#include "stack.h"

/* The state of this thread, if it has one whose figures are those of the present recording; NULL otherwise. */
static struct thread *recording_state(void)
{
	struct thread *me = hotpath__own_state();
	bool is_ready = me && me->busy == READY;

	return is_ready && me->session == load(&hotpath__recorder->session, RELAXED) ? me : NULL;
}

struct own_work hotpath__own_work_begins(void)
{
	return (struct own_work){ recording_state() ? hotpath__ticks() : 0 };
}

static void take_off(struct thread *me, uintptr_t sp, uint64_t ticks)
{
	struct open_call call = hotpath__innermost(me, sp);

	*(call.stray ? &call.stray->lost : &call.frame->lost) += ticks << 8;
	add(&me->lane->slow, ticks);
}

void hotpath__own_work_ends(struct own_work work)
{
	struct thread *me = work.since ? recording_state() : NULL;
	uintptr_t sp = hotpath__stack_pointer();

	if (!me)
		return;
	hotpath__enter_busy(me, sp);
	take_off(me, sp, hotpath__less(hotpath__ticks(), work.since));
	hotpath__leave_busy(me);
}
