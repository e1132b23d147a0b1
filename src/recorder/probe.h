/* SPDX-License-Identifier: MIT */
/*
 * What probes tell the recorder. They are libraries of their own, of the same version as this one.
 *
 * Like the rest of the recorder, all of it works on any thread, in signal handlers, before main and after it,
 * and leaves errno alone.
 */
#ifndef HOTPATH_PROBE_H
#define HOTPATH_PROBE_H

#include "state.h"

#pragma GCC visibility push(default)

/**
 * Where a probe finds the state of its thread.
 *
 * @param thread_size
 *         sizeof(struct thread) as the probe knows it.
 * @return
 *         How far from the thread pointer the address of the state is; 0 when the probe is of another version.
 */
ptrdiff_t hotpath__probe_opens(size_t thread_size);

/** What is to be kept of allocations; nothing when recording is off, less when blocks do not tell their size. */
enum hp_alloc_mode hotpath__alloc_mode(bool can_round);

/** A program that has a probe is to be recorded, though nobody asked for it: it prints its own report. */
void hotpath__probe_begins(void);

/**
 * Let samples tell the time that allocating takes.
 *
 * @param call
 *         Called when the CPU begins to be sampled; at once when it is.
 * @param inside_at
 *         Where, from the thread pointer, each thread has a word of the probe's: while the allocator is at work, the
 *         stack pointer of whoever called it; else 0.
 */
void hotpath__when_sampling(void (*call)(void), ptrdiff_t inside_at);

/** Now, by any clock. */
uint64_t hotpath__probe_ticks(void);

/** malloc and free. */
struct hotpath__doors {
	void *(*malloc)(size_t size);
	void (*free)(void *block);
};

/**
 * Let the recorder find out what the probe costs.
 *
 * @param doors
 *         The probe's functions as they are in this mode, with an allocator behind them that does nothing and has 64
 *         blocks. They say that they were called from the address 0.
 */
void hotpath__rehearse_with(const struct hotpath__doors *doors);

/**
 * A block was allocated.
 *
 * @param rounded
 *         Its size as the allocator rounds it; used in HP_ALLOC_FREED.
 * @param from
 *         Where the call of malloc returns to.
 * @param sp
 *         The stack pointer of whoever called malloc.
 */
void hotpath__allocated(uintptr_t block, uint64_t size, uint64_t rounded, uintptr_t from,
			uintptr_t sp, enum hotpath_heap heap);

/** A block is about to be freed. */
void hotpath__freed(uintptr_t block, uint64_t rounded, uintptr_t sp, enum hotpath_heap heap);

/** The same in HP_ALLOC_LIVE, for malloc and free. */
void hotpath__follow(uintptr_t block, uint64_t size, uintptr_t from, uintptr_t sp);
void hotpath__unfollow(uintptr_t block, uintptr_t sp);

/** A block is about to be reallocated: block, rounded and sp are set. */
void hotpath__move_begin(struct moving *moving);

/** It was, and is this block now; 0 when that failed, or freed it because the size is 0. */
void hotpath__move_end(const struct moving *moving, uintptr_t block, uint64_t size,
		       uint64_t rounded, uintptr_t from);

/**
 * The site of what a probe found: a channel, stream, future or loop.
 *
 * @param kind
 *         An enum hp_site_kind.
 * @param name
 *         What kind of object it is: "uv_fs_write", "GAsyncQueue".
 * @param code
 *         An address in the program that tells it from others of this kind: its callback, or where the call that
 *         made it returns to; 0 for none.
 * @return
 *         An id for struct hotpath_site, with which the functions of abi.h are called; 0 when nothing is recorded.
 *         It takes a lock when it is new, and is remembered otherwise.
 */
uint32_t hotpath__flow_site(uint32_t kind, const char *name, uintptr_t code);

/** The same for what the program has called by a name of its own. */
uint32_t hotpath__labelled_site(uint32_t kind, const char *label);

/** Let a channel go on as one of another site. */
void hotpath__channel_rename(struct hotpath_channel *channel, uint32_t site);

/** A receiver has waited so many ticks for a message of it. */
void hotpath__channel_waited(struct hotpath_channel *channel, uint64_t ticks);

/** The work of a future has waited for a thread of a pool so many ticks, and took so many there. */
void hotpath__future_served(struct hotpath_future *future, uint64_t queued, uint64_t served);

/** A turn of an event loop, which is over: it waits again. */
struct hotpath__turn {
	uint32_t site;
	uint32_t callbacks;
	/* Ticks: that it waited before, that it was at work since then, and that callbacks took of that. */
	uint64_t idle;
	uint64_t busy;
	uint64_t in_callbacks;
	/* The one that took longest, and how long; 0 when there was none. A site of any kind. */
	uint64_t slowest;
	uint32_t slowest_site;
};

void hotpath__loop_turned(const struct hotpath__turn *turn);

/** A probe had no room to follow one more object. */
void hotpath__probe_lost(void);

/** Call this when the program gives an object a name. */
void hotpath__when_labelled(void (*call)(const void *object, const char *label));

#pragma GCC visibility pop

static inline char *hotpath__thread_pointer(void)
{
	char *pointer;

#if defined(__aarch64__)
	__asm__("mrs %0, tpidr_el0" : "=r"(pointer));
#elif defined(__x86_64__)
	__asm__("mov %%fs:0, %0" : "=r"(pointer));
#else
	pointer = __builtin_thread_pointer();
#endif
	return pointer;
}

/**
 * Whether the innermost open call is known to be the one that allocates at this stack pointer. Code on another
 * stack is inside it too, unless calls of its own are open there, as in a signal handler that interrupted the
 * recorder: there are none when there is an owner.
 */
static inline bool hotpath__may_count_at_once(const struct thread *me, uintptr_t sp)
{
	return likely(me != NULL) && likely(load(&me->owner, RELAXED) == me->top) &&
	       likely(sp <= me->owner_sp);
}

/** The same for more than adding a number: not while the recorder is at work on this thread. */
static inline bool hotpath__may_act_at_once(const struct thread *me, uintptr_t sp)
{
	return likely(me && me->busy == READY) && hotpath__may_count_at_once(me, sp);
}

/*
 * The rest is all there is to HP_ALLOC_COUNT and HP_ALLOC_FREED, when hotpath__may_count_at_once says so. The
 * thread is not marked busy: a signal handler that interrupts malloc or free may not call them, and what it
 * measures changes none of this. If it does call them, what it adds may be lost.
 */

static inline void hotpath__count_at_once(struct thread *me, uint64_t size)
{
	add(&me->lane->bytes, size);
	add(&me->lane->blocks, 1);
}

/** It failed after all: nothing else has happened meanwhile on this thread. */
static inline void hotpath__uncount(struct thread *me, uint64_t size)
{
	add(&me->lane->bytes, -size);
	add(&me->lane->blocks, -UINT64_C(1));
}

/** Of what was counted. */
static inline void hotpath__round_at_once(struct thread *me, uint64_t rounded)
{
	add(&me->lane->tenants.quick_rounded_bytes, rounded);
}

static inline void hotpath__free_at_once(struct thread *me, uint64_t rounded)
{
	add(&me->alloc->freed_bytes, rounded);
	add(&me->alloc->freed_blocks, 1);
	add(&me->lane->freed_blocks, 1);
	add(&me->lane->tenants.quick_freed_bytes, rounded);
}

#endif
