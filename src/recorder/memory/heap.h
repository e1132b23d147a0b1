/* SPDX-License-Identifier: MIT */
/*
 * The functions that record allocations, as far as several files use them: tallies of calls (tally.c, young.c),
 * tables of blocks (blocks.c), and the places that allocate blocks (origin.c).
 */
#ifndef HOTPATH_HEAP_H
#define HOTPATH_HEAP_H

#include "atomic.h"
#include "calls/frame.h"
#include "heap_state.h"
#include "process/thread_state.h"
#include "processor.h"
#include "segment.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* ---- memory: what probes call is in probe.h ---- */

/* The alloc at an offset of the lane, allocated when it is missing; never NULL. The thread is busy. */
struct hp_alloc *hotpath__alloc(struct thread *me, uint64_t *offset);
/* The tally of the innermost call; begins one for it, and for the calls around it, if there is none yet. */
struct tally *hotpath__tally(struct thread *me);
/* Make the call of a tally the owner of what is allocated from now on; or, for a moment, make nobody the owner. */
void hotpath__own(struct thread *me, struct tally *tally);
void hotpath__disown(struct thread *me);
/* Let the fast path of malloc count for the innermost call; unless every allocation must take the slow path. */
void hotpath__own_at_once(struct thread *me);
/* Keep the fast path, if it was allowed, for the innermost call; false when the next allocation must take the slow path. */
bool hotpath__pass_on(struct thread *me);
/* The cost of the malloc probe for so many allocated and freed blocks, in 1/256 ticks. */
static inline uint64_t hotpath__alloc_lost(const struct thread *me, uint64_t blocks, uint64_t freed)
{
	return blocks * load(&me->lane->alloc_cost, RELAXED) +
	       freed * load(&me->lane->free_cost, RELAXED);
}

/* The malloc probe's cost for a call that has a tally, and all calls inside: the call of a frame, or a stray on its own
   thread. It is not passed on to the call around it, as `lost` of a frame is: that call's own tally includes it. */
uint64_t hotpath__tally_lost(const struct thread *me, const struct frame *frame);
uint64_t hotpath__stray_tally_lost(struct thread *me, struct stray *stray);
/* The call of a frame with a tally has ended; `counts` is false if it began before this session. */
void hotpath__tally_end(struct thread *me, const struct frame *frame, bool counts);
/* The tally of a stray, begun when there is none; and the end of a stray on its own thread. */
struct tally *hotpath__stray_tally(struct thread *me, struct stray *stray);
void hotpath__stray_tally_end(struct thread *me, struct stray *stray, bool nested);
/* Set to zero what a lane has allocated. */
void hotpath__zero_memory(struct thread *me);

/* A call allocated a block: if the block is freed before the call returns, it was temporary. */
void hotpath__young_put(struct thread *me, uintptr_t block, const struct tally *tally);
/* A block is freed: the alloc of the call that allocated it, if that has not returned; NULL otherwise. */
struct hp_alloc *hotpath__young_take(struct thread *me, uintptr_t block);

/* ---- blocks ---- */

/* A session begins: forget all blocks, which belong to the session before. The lock is held. */
void hotpath__forget_blocks(void);
/* A signal handler left the recorder by siglongjmp: release the region that this thread had locked. */
void hotpath__blocks_unlock(struct thread *me);

/* __libc_single_threaded is in glibc since 2.32. */
#pragma GCC visibility push(default)
extern char __libc_single_threaded __attribute__((weak));
#pragma GCC visibility pop

/* Whether the process has never had a second thread; then none can appear while this thread is in the recorder. */
static inline bool hotpath__is_alone(void)
{
	return &__libc_single_threaded && __libc_single_threaded;
}

/* ---- origin ---- */

/* Give the lane a holding of an origin that it has none of yet; NULL when there is no room. */
struct held *hotpath__make_held(struct thread *me, uint32_t id);
/* The holding of the origin of an allocation that is made now, with its stack in HP_ALLOC_LIVE; `from` is the return address
   of the call of malloc, `sp` the stack pointer of its caller. NULL when there is no room. */
struct held *hotpath__held_from(struct thread *me, uintptr_t from, uintptr_t sp, uint64_t site);
/* The holding of the stack in `callers`, which this thread's table does not have yet. */
struct held *hotpath__learn_call(struct thread *me, uint64_t key, uint64_t site);
/* Forget the words of the last walks. */
void hotpath__forget_seen(struct memory *memory);

static inline struct held *hotpath__held(struct thread *me, uint32_t id)
{
	struct held *page = me->memory->held[id / ORIGIN_PAGE];
	struct held *held = page ? page + id % ORIGIN_PAGE : NULL;

	return likely(held && held->holding) ? held : hotpath__make_held(me, id);
}

/* The entry of a stack in the hash table, or the empty entry where it belongs. */
static inline struct call_site *hotpath__find_call(const struct memory *memory, uint64_t key)
{
	struct call_site *calls = memory->calls;
	uint32_t at = (uint32_t)(key >> 32) & memory->calls_mask;

	while (unlikely(calls[at].key != key) && calls[at].held)
		at = (at + 1) & memory->calls_mask;
	return &calls[at];
}

/* Add a thread's delta to the global counter, and raise the peak if necessary. */
void hotpath__tell(struct tide *tide, int64_t now, int64_t *all, uint64_t *peak);

static inline void hotpath__tell_at_times(struct tide *tide, int64_t now, int64_t *all,
					  uint64_t *peak)
{
	int64_t untold = now - tide->told;

	if (unlikely(untold > tide->patience || untold < -tide->patience))
		hotpath__tell(tide, now, all, peak);
}

/* The number of bytes has grown. While there is only one thread, its own figure is the global one, and only the
   peak is updated; once there are more threads, the delta is added to the global counter. */
static inline void hotpath__rises(struct tide *tide, int64_t now, int64_t *all, uint64_t *peak,
				  bool alone)
{
	if (!alone)
		hotpath__tell_at_times(tide, now, all, peak);
	else if (unlikely(now > (int64_t)*peak))
		store(peak, (uint64_t)now, RELAXED);
}

static inline int64_t hotpath__holds(const struct hp_holding *holding)
{
	return (int64_t)(holding->bytes - holding->freed_bytes);
}

static inline int64_t hotpath__holds_all(const struct thread *me)
{
	return (int64_t)(me->lane->bytes - me->lane->tenants.freed_bytes);
}

/* A block was allocated (more) or freed (less): update the global counters of its origin, and of all origins. */
static inline void hotpath__tell_more(struct thread *me, struct held *held, bool alone)
{
	struct hp_header *header = (struct hp_header *)(void *)me->base;
	struct hp_origin *origin = held->origin;

	hotpath__rises(&held->tide, hotpath__holds(held->holding), &origin->told_bytes,
		       &origin->peak_bytes, alone);
	hotpath__rises(&me->memory->tide, hotpath__holds_all(me), &header->told_bytes,
		       &header->peak_bytes, alone);
}

static inline void hotpath__tell_less(struct thread *me, struct held *held)
{
	struct hp_header *header = (struct hp_header *)(void *)me->base;
	struct hp_origin *origin = held->origin;

	hotpath__tell_at_times(&held->tide, hotpath__holds(held->holding), &origin->told_bytes,
			       &origin->peak_bytes);
	hotpath__tell_at_times(&me->memory->tide, hotpath__holds_all(me), &header->told_bytes,
			       &header->peak_bytes);
}

/* Forget all return addresses; the lock is held. */
void hotpath__forget_calls(struct thread *me);
void hotpath__zero_holdings(struct thread *me);
void hotpath__zero_origins(void);

#pragma GCC visibility pop

#endif
