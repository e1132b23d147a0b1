/* SPDX-License-Identifier: MIT */
/*
 * The state of an open call, which is a frame or a stray, and of the place in the call tree where it is counted.
 *
 *	thread ─┬─► frames      open calls, innermost last ──┐
 *	        ├─► strays      open calls on other stacks ──┤
 *	        └─► slots ───────────────────────────────────┴─► branches ─► stats and nodes, in the segment
 */
#ifndef HOTPATH_FRAME_H
#define HOTPATH_FRAME_H

#include "hotpath/abi.h"

#include "memory/heap_state.h"
#include "segment.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	/* The stack frame of one function is assumed to be smaller than this, in bytes. */
	REACH_MAX = 1024 * 1024,
};

/*
 * The token of a span says how it is recorded if it has no frame. The hot path does not initialise it, so for a span
 * with a frame it may have any value: that is why the kinds are unlikely numbers, mixed with the span's address.
 */
enum token {
	/* Not measured. */
	TOKEN_NONE = 0,
	/* As a stray, in the table of the thread that began it. */
	TOKEN_STRAY = 0x73747261,
	/* As an operation, which no thread keeps. */
	TOKEN_OPERATION = 0x6f706572,
};

static inline uint64_t hotpath__token(const struct hotpath_span *span, enum token kind)
{
	return (uint64_t)(uintptr_t)span ^ (uint64_t)kind << 32;
}

/*
 * A branch: one function at one place of the call tree, as reached by one chain of callers. With HOTPATH_TREE=0 every
 * function has a single branch, directly below the root.
 */
struct branch {
	struct hp_stat *stat;
	/* `inner` is the number of this branch's node, in the high bits: a function called from here is found by
	   the key (inner | id of its site). `outer` is `inner` of the branch that this one is called from. */
	uint64_t inner;
	uint64_t outer;
	/* The offset of its node in the segment; 0 when it is not in the call tree. */
	uint64_t node;
	uint64_t site;
	/* Calls in progress in this branch that are recursive, which means inside another call of the same
	   function. */
	uint64_t nested;
	/* The branch that it is called from. */
	struct branch *from;
	/* Not 0 when several calls of the function may be in progress at once: then they are counted in the stat. */
	uint64_t repeats;
};

static_assert(sizeof(struct branch) == 64, "a branch is a cache line");

/*
 * A slot of the hash table in which branches are found. There are two kinds of keys: the caller's `inner` with the id
 * of the site; and the address of a function alone, which leads to the branch in which it was called last. The latter
 * does not depend on the caller, so the processor can look it up while it still works on the call before. The table uses
 * open addressing, with a load of at most a quarter. A key of 0 is an empty slot; slot 0 is never empty.
 */
struct slot {
	uint64_t key;
	struct branch *branch;
};

/*
 * A frame: an open call. Frames are in the recorder's memory and not in the spans on the program's stack, because a
 * longjmp discards those; what is here can be read and repaired at any time.
 */
struct frame {
	/* When the call began; after it has ended, when it ended. */
	uint64_t start;
	/* The return address of the entry hook that began the call of a function; not set for spans. With the key, it tells
	   calls of the same height apart: if one begins that is open already, the open one was left by longjmp. */
	uintptr_t from;
	/* Ticks of the measured calls inside this one. */
	uint64_t children;
	/* The profiler's own time inside this call, in 1/256 ticks. */
	uint64_t lost;
	struct branch *branch;
	/* What ends the call: the address of its span, or of the function; with flags, which make the hot path
	   leave it to the slow path. */
	uintptr_t key;
	/* The stack pointer of the function that began the call, less the lowest address of the thread's stack. */
	uintptr_t height;
	/* The stat of the branch. */
	struct hp_stat *stat;
};

/* Flags of a frame's key, in bits that no address uses. KEY_SLOW: a value was logged, the clock is not the counter, or the
   call around is stale (settling.h).
   KEY_TALLIED: the call has a tally, because it or a call inside has allocated. The hot path compares the whole key, so
   it does not end a frame that has one of these. KEY_SLED: the call is that of a function with sleds, and ends by its
   height. */
#define KEY_SLOW ((uintptr_t)1 << 63)
#define KEY_TALLIED ((uintptr_t)1 << 61)
#define KEY_SLED ((uintptr_t)1 << 60)
#define KEY_FLAGS_SHIFT 60

static_assert(sizeof(struct frame) == 64, "a frame is a cache line");

/*
 * A stray: an open call on another stack than the thread's own. The thread that began it has it in a table; another
 * thread may end it.
 */
struct stray {
	/* The address of its span; or that of its function, with KEY_FUNCTION. 0 in an unused entry of the table. */
	uintptr_t key;
	/* The stack pointer of the function that began the call. */
	uintptr_t sp;
	/* The coroutine that the call is in; 0 when it is not known. */
	uint64_t fiber;
	uint64_t start;
	struct branch *branch;
	/* The stray that it is nested in; NULL for none. */
	struct stray *around;
	/* For a signal handler: the frame that was interrupted; NULL for other code, or if there is a stray around. */
	struct frame *interrupted;
	/* As in a frame. */
	uint64_t children;
	uint64_t lost;
	struct tally tally;
};

/* The stray is that of a function, not of a span. */
#define KEY_FUNCTION ((uintptr_t)1 << 62)
/* The key of a stray that a thread is just ending: it is not open any more, and its entry is not free yet. */
#define KEY_TAKEN ((uintptr_t)1)

/* An open call of either kind: a stray, or else a frame. Both are NULL when there is no call. */
struct open_call {
	struct stray *stray;
	struct frame *frame;
};

/*
 * An exit of a function that the compiler has instrumented.
 *
 * The function may have been split: gcc inlines its first part, which has the call of the entry hook, and calls or
 * jumps to the rest, name.part.0, which has the call of the exit hook.
 *
 *	                              by_jump     sp, compared with that at the entry
 *	whole                         no          equal, or lower after alloca
 *	whole                         yes         higher
 *	part, called                  no          lower
 *	part, called                  yes         equal
 *	part, jumped to               no          lower, equal or higher
 *	part, jumped to               yes         higher
 */
struct leaving {
	uintptr_t function;
	uintptr_t sp;
	/* The exit hook was reached by a jump (tail call): the function's stack frame is gone, and sp is that of
	   its caller. */
	bool by_jump;
};

#endif
