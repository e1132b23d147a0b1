/* SPDX-License-Identifier: MIT */
/*
 * The state of a thread.
 *
 *	thread ─┬─► frames      open calls, innermost last
 *	        ├─► slots ─► branches      functions at their places of the call tree
 *	        ├─► memory      what its calls have allocated
 *	        └─► lane, in the segment      with the figures of calls that have ended
 */
#ifndef HOTPATH_THREAD_STATE_H
#define HOTPATH_THREAD_STATE_H

#include "atomic.h"
#include "calls/frame.h"
#include "cpu/wait_points.h"
#include "flow/own_locks.h"
#include "memory/heap_state.h"
#include "processor.h"
#include "segment.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* Frames that a thread state has at first. */
	FRAMES_FIRST = 256,
	/* The most that a thread can have: recursion a million deep is measured. */
	FRAMES_MAX = 2 * 1024 * 1024,
	/* Size of a thread's table of strays, which are open calls on other stacks. */
	STRAYS = 64,
	/* Stats are looked up by site id in a two-level table; so many entries are in a page. */
	INDEX_PAGE = 256,
	INDEX_PAGES = HP_SITES_MAX / INDEX_PAGE + 1,
	/* Nodes are looked up by their numbers in the same way. */
	NODE_PAGES = (HP_NODES_MAX + 1) / INDEX_PAGE + 1,
	SLOTS_FIRST = 256,
	LAST_FIRST = 64,
	/* Size of the caches of calls that block; a power of two. */
	CALLERS = 16,
	/* With one flush of so many a call is timed. */
	TIMED_FLUSHES = 8,
	/* Values of `busy` that are not stack pointers. */
	READY = 1,
	SHARED = 2,
};

/*
 * In a program, which uses the caches and calls functions from many places, measuring a call takes longer than where the
 * cost was measured. So with some of the flushes the end of a call is timed, and the beginning of the next one; the cost of
 * calls follows these times.
 */
struct followed_cost {
	/* The time of a beginning and an end where the cost was measured, in 1/256 ticks; 0 until then. */
	uint64_t base;
	/* In ticks: what took longer was interrupted, and counts as much as this. 0 until then, as well. */
	uint64_t most;
};

/* What the governor knows of a thread. All but the calls is in ticks. */
struct governed {
	/* When it is asked again whether to look; 0 before the first time. */
	uint64_t due;
	/* When it looked last, and the CPU time of the thread and the cost of its lane after that. */
	uint64_t since;
	uint64_t cpu;
	uint64_t cost;
	/* What that look took, and by how much measuring was too dear until then. */
	uint64_t look;
	uint64_t debt;
	/* Calls that were counted since then, of functions with many; and exits that had nothing to end. */
	uint64_t counted;
	uint64_t idle;
};

/* What takes the stacks of a thread's waits. */
struct waiter {
	struct wait_points points;
	/* NULL until the first wait. */
	struct walker *walker;
	/* The next stack can be taken without more room. */
	bool is_ready;
};

/* A wait to send or receive, which the program has told of: for which channel, NULL for none; and since when, in ticks. */
struct channel_wait {
	const struct hotpath_channel *channel;
	uint64_t since;
};

/* A place of the program that reads or writes: a return address, the innermost measured call around it, 0 for none, the
   target and the operation; and what follows from these: the site of the function, the edge, 0 if the place is not
   used, and the edge's stat. */
struct io_place {
	uintptr_t from;
	uint32_t call;
	uint32_t target;
	uint32_t operation;
	uint32_t function;
	uint32_t edge;
	struct hp_stat *stat;
};

/* A part of the segment that nothing was allocated in yet. */
struct chunk {
	uint64_t at;
	uint64_t left;
};

/* The state of a thread. When the thread has ended, the next new thread uses it, with its lane. */
struct thread {
	/* READY; or, while the recorder changes this state or its lane, the stack pointer at which it was entered:
	   a signal handler that finds this uses the second state. SHARED: not a state, but a group of tasks that
	   share thread-local variables. 0: unused, or in a forked child, where the kernel has wiped the whole
	   struct. */
	uintptr_t busy;
	/* The innermost open call. The first frame is no call: its height is the size of the stack, and it
	   collects the times of calls that have no parent. */
	struct frame *top;
	/* The frame of the call that allocates: while it is the top, the fast path of malloc only adds to the
	   lane. NULL when the next allocation must take the slow path. owner_sp is the stack pointer of its
	   function, alloc the figures of that function. */
	struct frame *owner;
	uintptr_t owner_sp;
	struct hp_alloc *alloc;
	/* The end of the frames that the hot path may use; equal to `frames` when it may not begin any call. */
	struct frame *limit;
	/* The lowest address of the thread's own stack. */
	uintptr_t stack_low;
	struct hp_lane *lane;
	/* The lane has the numbers of the locks that the thread holds: how many places are in use, up to the last one. */
	unsigned held_count;
	uint32_t tid;
	/* Calls that began before this time are not counted. */
	uint64_t session_start;
	/* The same for the hot path; UINT64_MAX when the clock is not the processor's counter, which is all that
	   the hot path can read, and while the innermost call may be one whose exits went. */
	uint64_t fast_since;
	/* The cost of measuring a call, in 1/256 ticks: span_cost is subtracted from the calls around it,
	   inner_cost, which may be negative, from the call itself. */
	uint64_t span_cost;
	uint64_t inner_cost;
	/* Further, for a call with sleds: to keep the program's registers takes so long inside the call, and once more outside. */
	uint64_t keeping_cost;
	struct governed governed;
	/* See struct followed_cost: the sum of some beginnings and endings that were timed, in ticks; how many endings;
	   how often the hot path has flushed; whether the next beginning is to be timed; and when the hot path was done with
	   the end that is timed, if it knows that itself, or else 0. */
	uint64_t timed_sum;
	uint64_t end_done;
	unsigned timed;
	unsigned flushes;
	bool times_next;
	/* Probes may take their fast paths: the session is the present one, addresses are right, and the clock is the
	   processor's counter. */
	bool probes_open;
	/* Some function's exits were disarmed since this thread last looked whether it has calls in progress without one. */
	bool may_be_stale;
	/* The timer that lets this thread look at what measuring costs, if there is one; and the time for which it is set, in
	   ticks, 0 when it is not. */
	bool has_wake_timer;
	int wake_timer;
	uint64_t woken_at;
	/* This thread has the recorder's lock, or waits for it. */
	bool is_locking;
	/* The state of recording allocations; NULL when the thread has not allocated yet. */
	struct memory *memory;
	/* One tally for each frame; valid if the frame's key has KEY_TALLIED. */
	struct tally *tallies;
	/* The branch in which each site was last called, NULL for none, by the id of the site; site 0 has none. */
	struct branch **last;
	uint32_t last_count;
	/* The hash table of branches, which has 1 << (32 - shift) slots. */
	struct slot *slots;
	unsigned shift;
	unsigned slots_used;
	/* The slot that is being filled; NULL for none. */
	struct slot *filling;
	/* A second table of the same size, into which the slots are moved when addresses are forgotten; NULL until
	   needed. */
	struct slot *other_slots;
	char *base;
	struct frame *frames;
	/* The size of the array of frames; the last one is not used. */
	size_t room;
	/* The session that the lane's figures belong to. */
	uint32_t session;
	/* The recorder's `unloads` for which the addresses among the keys are right. */
	uint32_t unloads;
	unsigned nodes;
	/* The unused branches of the last block of them. */
	unsigned spare_branches;
	struct branch *branches;

	/* What is left of the lane's chunk of the segment, and of the one before, where there is room for small pieces: a lane
	   allocates in chunks of its own, so that threads share no cache line. */
	struct chunk chunk;
	struct chunk rest;
	/* The second state, for signal handlers that interrupt the recorder; NULL until needed. */
	struct thread *interrupt;
	struct thread *next;
	struct thread *next_free;
	/* The segment had no room for a histogram. */
	bool has_no_room;
	/* The bounds of the stack are known, not assumed. */
	bool bounds_known;
	/* The state belongs to a task that shares its thread-local variables with others. */
	bool is_task;
	/* How many rounds of thread-exit destructors have passed. */
	unsigned farewells;
	/* The next stray to be replaced, counted modulo STRAYS; and how many of the strays are those of functions. */
	unsigned next_stray;
	unsigned function_strays;
	/* There was a stray since the thread began. */
	bool has_strays;
	/* The coroutine that the thread executes, 0 when that is not known; and the bounds of its stack. */
	uint64_t fiber;
	uintptr_t fiber_low;
	uintptr_t fiber_high;
	/* The value that was logged last, and the frame or stray that it belongs to. */
	const void *logged_by;
	uint64_t value;
	uint32_t value_kind;
	char text[HP_TEXT_SIZE];
	/* A buffer for a longer text, NULL until needed; and a pointer to the one of both that has the logged
	   text. */
	char *long_text;
	char *logged_text;
	char name[HP_NAME_MAX];
	struct own_locks own_locks;
	struct channel_wait channel_wait;
	/* Caches for calls that block, so that nothing is searched for in a loop: the site of a return address, for a number
	   of the recorder's `unloads`; and places that read or write. */
	struct {
		uintptr_t from;
		uint32_t unloads;
		uint32_t site;
	} callers[CALLERS];
	struct io_place io_places[CALLERS];
	/* The stack pointer of a call that blocks, which the lane tells of; 0 for none. */
	uintptr_t blocked_sp;
	/* The hash tables of the lane's stacks, of the CPU and of waits; NULL when the lane has no sample yet. */
	struct stacks *stacks;
	struct stacks *wait_stacks;
	struct waiter waiter;
	struct stray strays[STRAYS];
	struct hp_stat **index[INDEX_PAGES];
	struct hp_node **numbered[NODE_PAGES];
	/* The root of the call tree; and a mark in the table, for functions that are not to be measured. */
	struct branch root;
	struct branch skipped;
	struct branch *first_last[LAST_FIRST];
	struct slot first_slots[SLOTS_FIRST];
	struct tally first_tallies[FRAMES_FIRST];
	struct frame first[FRAMES_FIRST];
};

#pragma GCC visibility push(hidden)

/* This thread's state; NULL before its first measured call. */
extern __thread struct thread *hotpath__me __attribute__((tls_model("initial-exec")));
/* This thread's last destructor has run: it has given its state back. */
extern __thread bool hotpath__gone __attribute__((tls_model("initial-exec")));

/* The state of the calling task, one of several that share the thread-local variables, and so find `shared` in
   hotpath__me. NULL before its first measured call. */
struct thread *hotpath__task_state(struct thread *shared);

/* The state of the calling thread or task. The hot path reads hotpath__me directly: a shared state is never READY. */
static inline struct thread *hotpath__own_state(void)
{
	struct thread *me = hotpath__me;

	return likely(!me || me->busy != SHARED) ? me : hotpath__task_state(me);
}

/* Whether a state is the first one of the calling thread, not the second one that signal handlers use. */
static inline bool hotpath__is_first(const struct thread *me)
{
	return me == hotpath__me || me->is_task;
}

static inline void hotpath__add_timed(struct thread *me, const struct followed_cost *cost,
				      uint64_t ticks)
{
	me->timed_sum += cost->most && ticks > cost->most ? cost->most : ticks;
}

/* Whether the end of a call that is to be flushed now is one of those that are timed. */
static inline bool hotpath__times_end(const struct thread *me)
{
	return (me->flushes + 1) % TIMED_FLUSHES == 0;
}

/* Mark the thread busy, or ready again. The fences keep the compiler from moving anything out of the busy section,
   so that a signal handler of the program sees the mark whenever the state is being changed. */
static inline void hotpath__enter_busy(struct thread *me, uintptr_t sp)
{
	store(&me->busy, sp, RELAXED);
	signal_fence();
}

static inline void hotpath__leave_busy(struct thread *me)
{
	signal_fence();
	store(&me->busy, READY, RELAXED);
}

#pragma GCC visibility pop

#endif
