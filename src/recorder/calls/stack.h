/* SPDX-License-Identifier: MIT */
/*
 * The open calls of a thread: the state that has their frames, the frame that an end belongs to, and frames that were
 * left by longjmp.
 */
#ifndef HOTPATH_STACK_H
#define HOTPATH_STACK_H

#include "hotpath/abi.h"

#include "frame.h"
#include "process/thread_state.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* The state to record with, for a slow path that runs at this stack pointer; NULL when not recording. */
struct thread *hotpath__enter(uintptr_t sp);
/* The state to record a sample with, which does not need the costs of calls; NULL when not recording. */
struct thread *hotpath__enter_look(uintptr_t sp);
/* The innermost open call of code that runs at this stack pointer; the thread's first frame when there is none. */
struct open_call hotpath__innermost(struct thread *me, uintptr_t sp);
/* Whether this code runs on an alternate signal stack. */
bool hotpath__on_signal_stack(void);
/* The state that holds the frames of a call which ends at this stack pointer; NULL when there is none. */
struct thread *hotpath__ending_state(uintptr_t sp);
/* Whether there is room for one more frame; more room is mapped if necessary. In the functions below the thread is
   busy. */
bool hotpath__has_room(struct thread *me);
/* The frame of a span, or of a function that is being left; NULL when there is none. */
struct frame *hotpath__find_frame(struct thread *me, const struct hotpath_span *span);
struct frame *hotpath__find_left(struct thread *me, struct leaving leaving);
/* End a frame. The frames inside it, which longjmp must have left, are ended as abandoned. */
void hotpath__end_frame(struct thread *me, const struct frame *frame, uint64_t now);
/* End the innermost open call, or every one, as abandoned. */
void hotpath__abandon_top(struct thread *me);
void hotpath__abandon_all(struct thread *me);
/* Forget the open calls of functions with sleds: between two sessions their exits were not armed, so they may be over. */
void hotpath__forget_sled_calls(struct thread *me);
/* The duration of a call, in ticks, without the profiler's own time in it; `lost` is in 1/256 ticks. It is no less than
   that of the calls inside, `children`. */
uint64_t hotpath__duration(struct thread *me, uint64_t start, uint64_t now, uint64_t lost,
			   uint64_t children);

/* ---- the bounds of the stack ---- */

/* Find the bounds of this thread's stack. `sp` is the stack pointer of the code to be recorded; a signal handler
   that calls this may itself run on another stack. */
void hotpath__find_stack(struct thread *me, uintptr_t sp);
/* A call came from below the assumed lower bound: look it up exactly, once. The thread is busy. */
void hotpath__extend_stack(struct thread *me);

#pragma GCC visibility pop

/* Whether a stack pointer is on the thread's own stack. */
static inline bool hotpath__own_stack(const struct thread *me, uintptr_t sp)
{
	return sp - me->stack_low <= me->frames[0].height;
}

/* The end of the frames that may be used. The frame there exists too, and can be read. */
static inline struct frame *hotpath__last_frame(const struct thread *me)
{
	return me->frames + me->room - 1;
}

/*
 * The distance between the stack pointers at which a function was entered and is being left, to find the frame that
 * fits an exit best. Distances on the expected side are less than REACH_MAX; on the other side, which only a split
 * function can explain, REACH_MAX is added; where neither is possible the result is UINTPTR_MAX.
 */
static inline uintptr_t hotpath__distance(uintptr_t entered, struct leaving leaving)
{
	uintptr_t right = leaving.by_jump ? leaving.sp - 1 - entered : entered - leaving.sp;
	uintptr_t wrong = -right;

	if (right < REACH_MAX)
		return right;
	return wrong <= (leaving.by_jump ? 1 : REACH_MAX) ? REACH_MAX + wrong : UINTPTR_MAX;
}

#endif
