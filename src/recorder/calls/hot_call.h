/* SPDX-License-Identifier: MIT */
/*
 * The steps of the hot path that all measured calls have in common, whether spans, functions with hooks or functions with
 * sleds.
 */
#ifndef HOTPATH_HOT_CALL_H
#define HOTPATH_HOT_CALL_H

#include "counting.h"
#include "hot_path.h"
#include "process/clock.h"
#include "processor.h"

#include <stdbool.h>
#include <stdint.h>

/* The hot path has a section of its own, so that samples in it are recognised as the profiler's even in statically
   linked programs. */
#define HOT __attribute__((used, aligned(64), section(HOT_SECTION)))

/* A call that begins: `last` is in the state of this thread, which is busy; the rest is as in a frame. Of a span, `from` is the
   key. */
struct call_in {
	struct last last;
	uintptr_t key;
	uintptr_t from;
	uintptr_t height;
	uint64_t lost;
	bool is_span;
};

/* Whether the hot path may begin a call. */
static inline bool hotpath__has_frame(const struct thread *me)
{
	return me->top + 1 < load(&me->limit, RELAXED);
}

/* The clock is read after everything has been looked up; the stores execute while the processor reads it. The address of the
   frame is not kept from when it was compared with the limit: with one register more, the beginning of a call would have to save
   some on the stack. */
__attribute__((always_inline)) static inline void hotpath__open_frame(struct thread *me,
								      struct branch *branch,
								      struct call_in in)
{
	struct frame *frame = me->top;
	struct hp_stat *stat = branch->stat;
	uint64_t start = hotpath__counter();

	make_opaque(frame);
	frame++;
	if (!in.is_span)
		frame->from = in.from;
	frame->children = 0;
	frame->lost = in.lost;
	frame->branch = branch;
	frame->stat = stat;
	frame->key = in.key;
	frame->height = in.height;
	frame->start = start;
	hotpath__opened(me, frame);
	/* The frame is complete before it becomes the top: the sampling signal may come between any two
	   instructions. */
	signal_fence();
	me->top = frame;
}

/* Begin a call that nests properly, and has a frame, in the branch that a few steps find; false when they find none. */
__attribute__((always_inline)) static inline bool hotpath__begin_inside(struct thread *me,
									struct call_in in)
{
	struct branch *branch = hotpath__find_at_once(me, in.last);
	if (unlikely(!branch))
		return false;
	hotpath__open_frame(me, branch, in);
	return true;
}

/* Whether a call of a function with sleds nests properly. One at the height of an open call is inside that, if it is a span's or a
   hook's; two functions with sleds cannot have one height. */
static inline bool hotpath__is_sled_inside(const struct frame *top, uintptr_t height)
{
	return likely(height < top->height) || (height == top->height && !(top->key & KEY_SLED));
}

/* Begin a call of a function with sleds in the branch that a few steps find; false when they find none. One that is to be timed has
   no frame yet, and nothing of its function is touched before that is known. */
__attribute__((always_inline)) static inline bool hotpath__begin_sled_at_once(struct thread *me,
									      uintptr_t body,
									      uintptr_t sp,
									      uintptr_t from)
{
	if (unlikely(!hotpath__has_frame(me)))
		return false;
	struct call_in in = { hotpath__last_of_address(me, body),
			      body | KEY_SLED,
			      from,
			      sp - me->stack_low,
			      me->keeping_cost,
			      false };
	return likely(!in.last.is_other) && hotpath__is_sled_inside(me->top, in.height) &&
	       hotpath__begin_inside(me, in);
}

/* Begin a call of a function with sleds in any known branch. The slow path is dearer than for hooks, since it saves registers: it is
   left for what is not known yet. */
static inline bool hotpath__begin_sled(struct thread *me, uintptr_t body, uintptr_t sp,
				       uintptr_t from)
{
	struct call_in in = { hotpath__searched_last(me, body),
			      body | KEY_SLED,
			      from,
			      sp - me->stack_low,
			      me->keeping_cost,
			      false };

	if (!hotpath__is_sled_inside(me->top, in.height) || !hotpath__has_frame(me))
		return false;
	struct branch *branch = hotpath__find_branch(me, in.last);
	if (branch)
		hotpath__open_frame(me, branch, in);
	return branch;
}

/* Whether the hot path may end a frame: it began in this session, and its duration fits the ring. */
static inline bool hotpath__may_end(const struct thread *me, const struct frame *frame,
				    uint64_t now)
{
	/* If the clock went backwards, the difference is huge. */
	return frame->start >= load(&me->fast_since, RELAXED) &&
	       (now - frame->start) >> HP_CALL_DURATION_BITS == 0;
}

/* A stat, moved by so many bytes: then a member that is named is an element of an array in the stat. Compilers would make the index of
   the element of both, in more instructions. */
static inline struct hp_stat *hotpath__moved(struct hp_stat *stat, uintptr_t bytes)
{
	struct hp_stat *moved = (struct hp_stat *)(void *)((char *)stat + bytes);

	make_opaque(moved);
	return moved;
}

/* Store a call in the ring. Returns whether that is to be flushed now. */
__attribute__((always_inline)) static inline bool hotpath__store_call(struct hp_stat *stat,
								      uint64_t end,
								      uint64_t duration,
								      uint64_t place)
{
	uint64_t calls = stat->calls;
	struct hp_stat *ring = hotpath__moved(stat, calls % HP_RING * sizeof(stat->ring[0]));
	struct hp_stat *places = hotpath__moved(stat, calls % HP_FLUSH * sizeof(stat->places[0]));

	store_pair(&ring->ring[0].end, end, duration);
	store(&places->places[0], place, RELAXED);
	/*
	 * Stored last: a call that is counted is in the ring. RELAXED, because RELEASE would have to wait; so on
	 * aarch64 a reader of a running program may see the new number before the call.
	 */
	store(&stat->calls, calls + 1, RELAXED);
	return (calls + 1) % HP_FLUSH == 0;
}

/* End the innermost call. Returns whether the ring is to be flushed now. The thread stays busy. */
__attribute__((always_inline)) static inline bool hotpath__end_call(struct thread *me, uint64_t now)
{
	struct frame *frame = me->top, *parent = frame - 1;
	struct hp_stat *stat = frame->stat;
	struct branch *branch = frame->branch;
	uint64_t cost = hotpath__ticks_of(frame->lost + me->inner_cost);
	uint64_t self = hotpath__at_least(now - frame->start - cost - frame->children, 0);
	uint64_t duration = frame->children + self;
	parent->children += duration;
	parent->lost += frame->lost + me->span_cost;
	frame->start = now;
	me->top = parent;

	uint64_t place = branch->inner | self;
	duration |= hotpath__closed(branch, stat);
	return hotpath__store_call(stat, now, duration, place);
}

#endif
