/* SPDX-License-Identifier: MIT */
/*
 * The inline functions of the hot path: whether a call nests properly, the branch in which it is counted, and the
 * nesting of recursive calls.
 */
#ifndef HOTPATH_HOT_PATH_H
#define HOTPATH_HOT_PATH_H

#include "atomic.h"
#include "frame.h"
#include "process/thread_state.h"
#include "processor.h"
#include "segment.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* The section that the hot path is in. The linker defines __start_ and __stop_ symbols for a section with such a
   name. */
#define HOT_SECTION "hotpath_text"
extern const char __start_hotpath_text[], __stop_hotpath_text[];

#pragma GCC visibility pop

/* Whether a frame was begun by what begins a call with this key. The hot path stores `from` in the frames of functions only. */
static inline bool hotpath__was_begun_by(const struct frame *frame, uintptr_t key, uintptr_t from)
{
	return (frame->key & ~(KEY_SLOW | KEY_TALLIED)) == key &&
	       (key == from || frame->from == from);
}

/* Whether a call that begins is already open among the innermost frames of this height. Calls that were inlined into one
   function share its stack pointer, and so have the same height. */
static inline bool hotpath__is_again(const struct thread *me, uintptr_t key, uintptr_t from,
				     uintptr_t height)
{
	const struct frame *frame = me->top;

	for (; frame->height == height && frame > me->frames; frame--)
		if (hotpath__was_begun_by(frame, key, from))
			return true;
	return false;
}

/*
 * Whether a call that begins here nests properly: its stack pointer is below that of the innermost open call, which
 * is therefore still being executed; or the same, and it is another inlined call.
 */
static inline bool hotpath__in_order(const struct thread *me, uintptr_t key, uintptr_t from,
				     uintptr_t height)
{
	if (likely(height < me->top->height))
		return true;
	return height == me->top->height && !hotpath__is_again(me, key, from, height);
}

/*
 * Whether an exit at this height belongs to this frame, and not to an inner call of the same function. If gcc has
 * split the function, it may exit by a jump at the height at which it was entered.
 */
static inline bool hotpath__is_left(const struct frame *frame, struct leaving leaving,
				    uintptr_t height)
{
	if (leaving.by_jump)
		return frame->height <= height && height <= (frame - 1)->height;
	return height <= frame->height;
}

static inline uint32_t hotpath__hash(const struct thread *me, uint64_t key)
{
	return (uint32_t)(key ^ key >> 44) * UINT32_C(0x9e3779b1) >> me->shift;
}

/* The slot with a key, or the empty slot where it belongs. Of the four slots in a cache line, a search begins with any
   and tries all before it goes on to another line. */
static inline struct slot *hotpath__slot(const struct thread *me, uint64_t key)
{
	uint32_t home = hotpath__hash(me, key), step = 0;

	while (me->slots[home ^ step].key != key && me->slots[home ^ step].key)
		step++;
	return &me->slots[home ^ step];
}

/* Where the branch is in which a function was last called: NULL is there if it was not called yet. */
struct last {
	struct branch **at;
	/* Another function has its branch there. */
	bool is_other;
};

/* The place of a function by the id of its site, 0 if that has none. */
static inline struct last hotpath__last_of_site(const struct thread *me, uint32_t site)
{
	return (struct last){ &me->last[likely(site < me->last_count) ? site : 0], false };
}

/* By its address: in the first slot of a search. */
static inline struct last hotpath__last_of_address(const struct thread *me, uintptr_t function)
{
	struct slot *slot = &me->slots[hotpath__hash(me, function)];

	return (struct last){ &slot->branch, slot->key != function };
}

/* The place of a function by its address, in as many steps as it takes. */
static inline struct last hotpath__searched_last(const struct thread *me, uintptr_t function)
{
	return (struct last){ &hotpath__slot(me, function)->branch, false };
}

/*
 * The branch for a call that begins now; NULL when it is not found in one or two steps. Most calls have the same caller as
 * the last call of the function, or are recursive, and need one step.
 */
static inline struct branch *hotpath__find_at_once(const struct thread *me, struct last place)
{
	const struct branch *from = me->top->branch;
	struct branch *last = *place.at;

	if (unlikely(place.is_other || !last))
		return NULL;
	if (likely(last->outer == from->inner))
		return last;
	/* Recursion that is not known yet is noted by the slow path. */
	if (last == from)
		return last->repeats ? last : NULL;
	if (unlikely(last == &me->skipped))
		return NULL;
	uint64_t key = from->inner | last->site;
	const struct slot *other = &me->slots[hotpath__hash(me, key)];
	if (unlikely(other->key != key))
		return NULL;
	*place.at = other->branch;
	return other->branch;
}

/* Find the branch of a call in as many steps as it takes. */
static inline struct branch *hotpath__find_branch(const struct thread *me, struct last place)
{
	const struct branch *from = me->top->branch;
	struct branch *last = *place.at;

	if (!last || last == &me->skipped)
		return NULL;
	if (last->outer == from->inner || (last == from && last->repeats))
		return last;
	struct branch *other = hotpath__slot(me, from->inner | last->site)->branch;
	if (likely(other))
		*place.at = other;
	return other;
}

/* A recursive call begins; `depth` calls of the function are open now. With the second one, store the node of the
   first. */
static inline void hotpath__nest(const struct thread *me, const struct frame *around,
				 struct branch *branch, uint32_t depth)
{
	branch->nested++;
	if (depth > 2)
		return;
	while (around->stat != branch->stat && around > me->frames)
		around--;
	store(&branch->stat->open_node, around->branch->node, RELAXED);
}

/* A call begins whose frame is complete. The next store that a call of the same function needs is this one's end, so
   functions that do not repeat are not counted, only marked: the next call would have to wait for the sum. */
static inline void hotpath__opened(const struct thread *me, const struct frame *frame)
{
	struct hp_stat *stat = frame->stat;

	if (unlikely(frame->branch->repeats)) {
		store(&stat->depth, stat->depth + 1, RELAXED);
		if (stat->depth > 1) {
			hotpath__nest(me, frame - 1, frame->branch, stat->depth);
			return;
		}
	}
	store(&stat->open_since, frame->start, RELAXED);
}

/* A call has ended: the flags to store with its duration. */
static inline uint64_t hotpath__closed(struct branch *branch, struct hp_stat *stat)
{
	if (likely(!branch->repeats)) {
		store(&stat->open_since, 0, RELAXED);
		return 0;
	}
	store(&stat->depth, stat->depth - 1, RELAXED);
	if (!stat->depth)
		return 0;
	bool again = branch->nested > 1 || stat->open_node == branch->node;
	branch->nested--;
	return again ? HP_CALL_NESTED | HP_CALL_SAME_NODE : HP_CALL_NESTED;
}

/* Whether a function is not to be measured. */
static inline bool hotpath__is_skipped(const struct thread *me, uintptr_t function)
{
	return hotpath__slot(me, function)->branch == &me->skipped;
}

#endif
