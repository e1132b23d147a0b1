/* SPDX-License-Identifier: MIT */
/*
 * The hot path of functions with sleds. It is compiled without vector registers, and keeps all others: arguments and results
 * of the program are in them.
 *
 * A call ends by its stack pointer: at a function's return, that is what it was at its entry. So no exit needs to
 * know its function, and what was left without an exit, by longjmp or an exception, is recognised by its lower stack pointer.
 */
#include "sled_calls.h"

#include "calls/hot_call.h"

/* Whether a frame is that of a function with sleds, and the hot path may end it: the key has no other flag. */
static inline bool is_plain_sled(const struct frame *frame)
{
	return frame->key >> KEY_FLAGS_SHIFT == KEY_SLED >> KEY_FLAGS_SHIFT;
}

/* Begin a call as most begin; false when it is another one. */
__attribute__((always_inline)) static inline bool enter(uintptr_t body, uintptr_t sp,
							uintptr_t from)
{
	struct thread *me = hotpath__me;

	if (unlikely(!me || me->busy != READY))
		return false;
	hotpath__enter_busy(me, sp);
	bool began = hotpath__begin_sled_at_once(me, body, sp, from);
	hotpath__leave_busy(me);
	return began;
}

/* Other calls. Out of line, because each register that is used in a function must be saved there. */
KEEPS_REGISTERS HOT __attribute__((noinline)) static void enter_other(uintptr_t body, uintptr_t sp,
								      uintptr_t from)
{
	struct thread *me = hotpath__me;

	if (likely(me && me->busy == READY)) {
		hotpath__enter_busy(me, sp);
		bool began = hotpath__begin_sled(me, body, sp, from);
		hotpath__leave_busy(me);
		if (likely(began) || hotpath__is_skipped(me, body))
			return;
	}
	hotpath__sled_enter_kept(body, sp, from);
}

/* The frame that ends here is the innermost one, at this very height. If that is higher up, this function's call is not
   measured; the governor is asked now and then whether such exits are too dear. */
__attribute__((always_inline)) static inline void leave(uintptr_t sp)
{
	struct thread *me = hotpath__me;

	if (unlikely(!me))
		return;
	uintptr_t height = sp - me->stack_low;
	if (unlikely(me->busy == READY && me->top->height > height)) {
		if (unlikely(++me->governed.idle % SLED_COUNTS == 0))
			hotpath__sled_exit_kept(sp, hotpath__counter_after());
		return;
	}
	uint64_t now = hotpath__counter_after();
	if (unlikely(me->busy != READY)) {
		hotpath__sled_exit_kept(sp, now);
		return;
	}
	hotpath__enter_busy(me, sp);
	const struct frame *frame = me->top;
	struct hp_stat *stat = frame->stat;
	if (unlikely(frame->height != height || !is_plain_sled(frame) ||
		     !hotpath__may_end(me, frame, now))) {
		hotpath__leave_busy(me);
		hotpath__sled_exit_kept(sp, now);
		return;
	}
	bool flushes = hotpath__end_call(me, now);
	me->top->lost += me->keeping_cost;
	if (likely(!flushes)) {
		hotpath__leave_busy(me);
		return;
	}
	add(&me->lane->cost, (stat->calls - stat->flushed) * me->keeping_cost * 2 >> 8);
	if (unlikely(hotpath__times_end(me)))
		me->end_done = hotpath__counter_in_order();
	hotpath__sled_flush_kept(me, stat);
}

/* No clock, no frame, only a number. Some of the calls are counted by the slow path, which asks the governor then. */
__attribute__((always_inline)) static inline void count(uintptr_t body, uintptr_t sp)
{
	struct thread *me = hotpath__me;

	if (likely(me && me->busy == READY && hotpath__has_frame(me))) {
		const struct branch *branch = hotpath__slot(me, body)->branch;
		if (likely(branch && branch->stat)) {
			uint64_t counted = branch->stat->counted + 1;
			if (likely(counted % SLED_COUNTS)) {
				store(&branch->stat->counted, counted, RELAXED);
				return;
			}
		}
	}
	hotpath__sled_count_kept(body, sp);
}

#if defined(__x86_64__)

/* The frame pointer that each of these functions sets up: above it is the return address, and then what was there before. */
#define FRAME ((const uintptr_t *)__builtin_frame_address(0))

KEEPS_REGISTERS HOT void hotpath__sled_enter(void)
{
	const uintptr_t *frame = FRAME;

	if (unlikely(!enter(frame[1], (uintptr_t)(frame + 2), frame[2])))
		enter_other(frame[1], (uintptr_t)(frame + 2), frame[2]);
}

KEEPS_REGISTERS HOT void hotpath__sled_return(void)
{
	leave((uintptr_t)(FRAME + 1));
}

KEEPS_REGISTERS HOT void hotpath__sled_jump(void)
{
	leave((uintptr_t)(FRAME + 2));
}

KEEPS_REGISTERS HOT void hotpath__sled_count(void)
{
	count(FRAME[1], (uintptr_t)(FRAME + 2));
}

#else

/* Stubs in assembly have saved the registers. */
HOT void hotpath__sled_entered(uintptr_t body, uintptr_t sp, uintptr_t from)
{
	if (unlikely(!enter(body, sp, from)))
		enter_other(body, sp, from);
}

HOT void hotpath__sled_left(uintptr_t sp)
{
	leave(sp);
}

HOT void hotpath__sled_counted(uintptr_t body, uintptr_t sp)
{
	count(body, sp);
}

#endif
