/* SPDX-License-Identifier: MIT */
/*
 * The functions of the recorder that probes call. Probes are libraries of their own, and must be of the same version.
 *
 * Like the rest of the recorder, these functions work on any thread, in signal handlers, before main and after it,
 * and do not change errno.
 */
#ifndef HOTPATH_PROBE_H
#define HOTPATH_PROBE_H

#include "hotpath/abi.h"

#include "atomic.h"
#include "memory/heap_state.h"
#include "process/thread_state.h"
#include "processor.h"
#include "segment.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)

/**
 * Where a probe finds the state of its thread.
 *
 * @param thread_size
 *         sizeof(struct thread) as the probe knows it.
 * @return
 *         The offset from the thread pointer to the thread-local pointer to the state; 0 when the probe is of another
 *         version.
 */
ptrdiff_t hotpath__probe_opens(size_t thread_size);

/** How much of allocations is to be recorded. HP_ALLOC_NONE when recording is off; less than was asked for if the
   allocator cannot tell the size of a block (can_round is false). */
enum hp_alloc_mode hotpath__alloc_mode(bool can_round);

/** Begin to record because the program has a probe, if nobody else asked for it. The program prints its own report
   then. */
void hotpath__probe_begins(void);

/**
 * Let sampling find out how much time is spent in the allocator.
 *
 * @param call
 *         Called when sampling of the CPU begins; at once if it has begun.
 * @param inside_at
 *         The offset from the thread pointer to a thread-local word of the probe: while the thread is inside the
 *         allocator, the stack pointer of the caller of malloc; else 0.
 */
void hotpath__when_sampling(void (*call)(void), ptrdiff_t inside_at);

/** The time now, in ticks of the recorder's clock. */
uint64_t hotpath__probe_ticks(void);

/** A pair of functions for malloc and free, one of several that the probe can put in place. */
struct hotpath__doors {
	void *(*malloc)(size_t size);
	void (*free)(void *block);
};

/**
 * Let the recorder measure what the probe costs.
 *
 * @param doors
 *         The probe's functions for the present mode, with an allocator behind them that does nothing and returns 64
 *         blocks in turn.
 */
void hotpath__rehearse_with(const struct hotpath__doors *doors);

/**
 * A block was allocated.
 *
 * @param rounded
 *         Its size as the allocator rounds it; used in HP_ALLOC_FREED.
 * @param from
 *         The return address of the call of malloc.
 * @param sp
 *         The stack pointer of the caller of malloc.
 */
void hotpath__allocated(uintptr_t block, uint64_t size, uint64_t rounded, uintptr_t from,
			uintptr_t sp, enum hotpath_heap heap);

/** A block is about to be freed. */
void hotpath__freed(uintptr_t block, uint64_t rounded, uintptr_t sp, enum hotpath_heap heap);

/** A block of malloc was allocated, or is about to be freed, in mode HP_ALLOC_LIVE. */
void hotpath__follow(uintptr_t block, uint64_t size, uintptr_t from, uintptr_t sp);
void hotpath__unfollow(uintptr_t block, uintptr_t sp);

/** A block is about to be reallocated: block, rounded and sp are set. */
void hotpath__move_begin(struct moving *moving);

/** The block was reallocated, and is this one now; 0 when realloc failed, or freed the block because size is 0. */
void hotpath__move_end(const struct moving *moving, uintptr_t block, uint64_t size,
		       uint64_t rounded, uintptr_t from);

/** Kinds of mappings: anonymous memory or a file by the program itself; or memory that is counted elsewhere. */
enum hotpath__mapping {
	HOTPATH__MAPPING_OTHER,
	HOTPATH__MAPPING_MEMORY,
	HOTPATH__MAPPING_FILE,
};

/** Memory was mapped, in place of what was there before. */
void hotpath__mapped(uintptr_t start, size_t size, enum hotpath__mapping kind);

/** Memory is about to be unmapped. Returns what its beginning was. With size 0 it is only asked for. */
enum hotpath__mapping hotpath__unmapping(uintptr_t start, size_t size);

/**
 * The site of an object that a probe found: a channel, stream, future or loop.
 *
 * @param kind
 *         An enum hp_site_kind.
 * @param name
 *         The type of the object: "uv_fs_write", "GAsyncQueue".
 * @param code
 *         An address in the program that tells it from others of this type: its callback, or the return address of
 *         the call that created it; 0 for none.
 * @return
 *         An id for struct hotpath_site, with which the functions of abi.h are called; 0 when nothing is recorded.
 *         A new one is registered under the recorder's lock; a known one is found without it.
 */
uint32_t hotpath__flow_site(uint32_t kind, const char *name, uintptr_t code);

/** The site of an object that the program has named by hotpath_label. */
uint32_t hotpath__labelled_site(uint32_t kind, const char *label);

/** Move an open channel to another site. */
void hotpath__channel_rename(struct hotpath_channel *channel, uint32_t site);

/** A receiver has waited for a message of this channel, for so many ticks. */
void hotpath__channel_waited(struct hotpath_channel *channel, uint64_t ticks);

/** The work of a future has waited `queued` ticks for a thread of a pool, and ran there for `served` ticks. */
void hotpath__future_served(struct hotpath_future *future, uint64_t queued, uint64_t served);

enum {
	HOTPATH__EVENT_COUNTERS = 8,
	HOTPATH__EVENT_TIMES = 4,
};

/** Something that happened at a site of any kind; the kind (src/kinds) says what each counter and duration is. */
struct hotpath__event {
	uint32_t site;
	/* A bit for each of the ticks that is a duration. */
	uint32_t timed;
	uint64_t counts[HOTPATH__EVENT_COUNTERS];
	uint64_t ticks[HOTPATH__EVENT_TIMES];
	/* Ticks of the slowest thing in it, 0 for none; and its site, which may be of any kind. The longest of all
	   events is kept. */
	uint64_t slowest;
	uint32_t slowest_site;
};

void hotpath__happened(const struct hotpath__event *event);

/* ---- locks ---- */

/** The time, and the measured call that a thread is in. */
struct hotpath__here {
	/* The time in ticks; 0 when nothing is recorded. */
	uint64_t ticks;
	/* The site of the innermost measured call, 0 when there is none; and the thread. */
	uint32_t call;
	uint32_t tid;
};

struct hotpath__here hotpath__here(void);

/** Make what this thread needs to record something of a site, because that takes time when it is the first. */
void hotpath__prepare(uint32_t site);

/** Count that this thread has acquired a lock, of this site. Returns the same; if it is not to be `timed`, no clock is read,
   and the time is 1. */
struct hotpath__here hotpath__acquired(uint32_t site, bool timed);

/** A lock is not held any more. Times are in ticks. */
void hotpath__released(uint32_t site, uint64_t since, uint64_t until);

/** The fast path of a probe has written HP_FLUSH calls to the ring of a stat: add them to its figures. */
void hotpath__ring_is_due(struct thread *me, struct hp_stat *stat);

/**
 * The site of a lock, registered under the recorder's lock when it is new.
 *
 * @param kind
 *         An enum hp_site_kind.
 * @param object
 *         The address of the lock, which has a site of its own if it is a static variable; 0 if it is to have none.
 * @param from
 *         The return address of the call that initialised the lock, or acquired it first: the site of all locks in
 *         the heap or on a stack that come from there. hotpath__flow_site finds that one too, without a lock, by the
 *         last byte of the call: from - 1.
 * @param is_static
 *         Set to whether the site is that of the object.
 * @return
 *         0 when nothing is recorded.
 */
uint32_t hotpath__lock_site(uint32_t kind, uintptr_t object, uintptr_t from, bool *is_static);

/** The site of an edge, which is known by three numbers: its kind is HP_SITE_LOCK_WAIT, HP_SITE_WAIT or HP_SITE_IO. 0 when
   nothing is recorded. */
uint32_t hotpath__edge_site(uint32_t kind, uint32_t first, uint32_t second, uint32_t third);

/** Count that an instance of a site was made, or is gone. */
void hotpath__instance(uint32_t site, bool is_new);

/** Count that the use of a lock could not be recorded. */
void hotpath__lock_lost(void);

/** A number for a lock that no other lock of the process has. */
uint32_t hotpath__lock_number(void);

/** Slow path of hotpath__hold: the thread has many locks, or the lock has no number. */
unsigned hotpath__hold_in_gap(struct thread *me, uint32_t lock);

/** This thread is about to release a lock whose place is not known, as of readers. */
void hotpath__unhold_lock(struct thread *me, uint32_t lock);

/* ---- calls that may block ---- */

enum { HOTPATH__BLOCK_COUNTERS = 4 };

/** A call that may block. What comes before `function` is set by the probe. */
struct hotpath__blocking {
	/* An enum hp_reason; the site of what it waits for, 0 for none; and of a lock, who holds it and the site of the
	   function that acquired it, 0 if not known. */
	uint32_t reason;
	uint32_t target;
	uint32_t holder;
	uint32_t holder_function;
	/* The lock's number, 0 if not known; and whether the wait ends when a time is over. */
	uint32_t lock;
	bool is_timed;
	/* Sites: of the innermost measured call, 0 for none, and of the function that waits, which may be the same; and the
	   return address of the probe's. */
	uint32_t call;
	uint32_t function;
	uintptr_t from;
	/* When the call began, in ticks; 0 when it is not recorded. */
	uint64_t since;
	/* A call that a signal handler has interrupted to make this one. */
	struct hp_blocked before;
	uintptr_t before_sp;
};

/** The thread is about to make a call that may block; `from` is its return address. */
void hotpath__block_begin(struct hotpath__blocking *blocking, uintptr_t from);

/**
 * The call has returned: record it.
 *
 * @param site
 *         An edge, in which the time is counted; 0 for none.
 * @param counts
 *         Added to the words of the stat; NULL for nothing.
 * @return
 *         How long it took, in ticks.
 */
uint64_t hotpath__block_end(const struct hotpath__blocking *blocking, uint32_t site,
			    const uint64_t counts[HOTPATH__BLOCK_COUNTERS]);

/** Whether the recorder is at work on this thread. It calls functions that may block, which are not the program's calls. */
bool hotpath__is_at_work(void);

/** The call has returned, and is recorded elsewhere: the thread does not wait any more. */
void hotpath__block_over(const struct hotpath__blocking *blocking);

/**
 * A wait that is recorded elsewhere is over: take its stack, if it is its turn.
 *
 * @param reason
 *         An enum hp_reason.
 * @param site
 *         An edge, or the target; 0 for none.
 * @param from
 *         The return address of the probe's function, which the program has called.
 */
void hotpath__waited(uint32_t reason, uint32_t site, uint64_t ticks, uintptr_t from);

/* ---- input and output ---- */

/**
 * A call has returned that hotpath__block_begin was called for: record it in the edge of its function and target.
 *
 * @param until
 *         When it returned, in ticks; 0 for now.
 * @param operation
 *         An enum hp_operation; 0 if nothing is to be counted.
 */
void hotpath__io_end(const struct hotpath__blocking *blocking, uint64_t until, uint32_t operation,
		     const uint64_t counts[HOTPATH__BLOCK_COUNTERS]);

/** Whether something is recorded, and the recorder itself is not at work on this thread. */
bool hotpath__may_block(void);

/** The site of a target, registered when it is new: a file or peer of this name, on a medium. When there are too many, it is
   that of `<other>`. 0 when nothing is recorded. The second function does not register it. */
uint32_t hotpath__target_site(const char *name, uint32_t medium);
uint32_t hotpath__target_find(const char *name, uint32_t medium);

/** Whether this process uses the memory of another one, as after vfork. */
bool hotpath__shares_memory(void);

/** Whether the seccomp filters of the program allow a system call. */
bool hotpath__probe_may(long number);

/** Bytes that will be written when the process ends, and are counted already. */
void hotpath__io_pending(uint64_t bytes);

/** The waits to be recorded: bits of enum hp_waits (HOTPATH_WAITS). */
unsigned hotpath__waits_wanted(void);

/** Count that a probe had no room to follow one more object. */
void hotpath__probe_lost(void);

/** Register a function to be called when the program names an object by hotpath_label. */
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

/** The entry of a thread's table for a place that reads or writes. */
static inline struct io_place *hotpath__io_place(struct thread *me, uintptr_t from, uint32_t target,
						 uint32_t operation)
{
	return &me->io_places[(from + (uintptr_t)target * 5 + operation) % CALLERS];
}

/** A thread-local pointer, by its offset from the thread pointer. */
static inline void *hotpath__thread_word(ptrdiff_t at)
{
#if defined(__x86_64__)
	void *word;

	__asm__ volatile("mov %%fs:(%1), %0" : "=r"(word) : "r"(at) : "memory");
	return word;
#else
	return *(void **)(void *)(hotpath__thread_pointer() + at);
#endif
}

/**
 * Whether malloc, called at this stack pointer, may take the fast path: the innermost open call is known to be the
 * owner. Code on another stack counts as inside that call too, unless strays or calls in the second state are open;
 * there is no owner then.
 */
static inline bool hotpath__may_count_at_once(const struct thread *me, uintptr_t sp)
{
	return likely(me != NULL) && likely(load(&me->owner, RELAXED) == me->top) &&
	       likely(sp <= me->owner_sp);
}

/** Whether the fast path may do more than an addition, which must not interrupt the recorder on this thread. */
static inline bool hotpath__may_act_at_once(const struct thread *me, uintptr_t sp)
{
	return likely(me && me->busy == READY) && hotpath__may_count_at_once(me, sp);
}

/*
 * The functions below are the whole fast path of HP_ALLOC_COUNT and HP_ALLOC_FREED, if hotpath__may_count_at_once is
 * true. They do not mark the thread busy: a signal handler that interrupts malloc or free may not call these (they
 * are not async-signal-safe), and calls that it measures change none of these fields. If it does allocate, its
 * additions may be lost.
 */

static inline void hotpath__count_at_once(struct thread *me, uint64_t size)
{
	add(&me->lane->bytes, size);
	add(&me->lane->blocks, 1);
}

/** The allocation failed: take it back. Nothing else has been counted on this thread in between. */
static inline void hotpath__uncount(struct thread *me, uint64_t size)
{
	add(&me->lane->bytes, -size);
	add(&me->lane->blocks, -UINT64_C(1));
}

/** Add the rounded size of a block that was counted. */
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
