/* SPDX-License-Identifier: MIT */
/*
 * What the files about allocations know of each other, and the rest of the recorder of them: tallies of calls (tally.c,
 * young.c), tables of blocks (blocks.c), and the places that blocks come from (origin.c).
 */
#ifndef HOTPATH_HEAP_H
#define HOTPATH_HEAP_H

#include "state.h"

#pragma GCC visibility push(hidden)

/* ---- memory: what probes call is in probe.h ---- */

/* The lane's figures of a function, or of what is outside of any; never NULL. The thread is busy. */
struct hp_alloc *hotpath__alloc(struct thread *me, uint64_t *offset);
/* Let the innermost call have a tally, and those around it. */
struct tally *hotpath__tally(struct thread *me);
/* What is allocated from now on is of this tally's call; or of nobody's, for a moment. */
void hotpath__own(struct thread *me, struct tally *tally);
void hotpath__disown(struct thread *me);
/* And of the innermost call's as soon as it allocates; unless allocations must take a look. */
void hotpath__own_at_once(struct thread *me);
/* The same when it did so before; false when it must. */
bool hotpath__pass_on(struct thread *me);
/* What the probe has taken of so many blocks, and of so many that were freed, in 1/256 ticks. */
static inline uint64_t hotpath__alloc_lost(const struct thread *me, uint64_t blocks, uint64_t freed)
{
	return blocks * load(&me->lane->alloc_cost, RELAXED) +
	       freed * load(&me->lane->free_cost, RELAXED);
}

/* The same of the call of a frame that has a tally, or of a stray on its own thread, with all calls inside. Unlike the
   rest that is lost, it is not told to the call around it, which has it in its own tally. */
uint64_t hotpath__tally_lost(const struct thread *me, const struct frame *frame);
uint64_t hotpath__stray_tally_lost(struct thread *me, const struct frame *stray);
/* The call of a frame has ended, which has a tally; and whether it counts. */
void hotpath__tally_end(struct thread *me, const struct frame *frame, bool counts);
/* The tally of a stray; and when that has ended on its own thread. */
struct tally *hotpath__stray_tally(struct thread *me, struct frame *stray);
void hotpath__stray_tally_end(struct thread *me, const struct frame *stray, bool nested);
/* Begin what a lane allocated at zero. */
void hotpath__zero_memory(struct thread *me);

/* A block that a call allocated: if it is freed before that returns, it was temporary. */
void hotpath__young_put(struct thread *me, uintptr_t block, const struct tally *tally);
/* The alloc of the call that allocated a block and has not returned; NULL when there is none. */
struct hp_alloc *hotpath__young_take(struct thread *me, uintptr_t block);

/* ---- blocks ---- */

/* A session begins: what is allocated is of the one before. The lock is held. */
void hotpath__forget_blocks(void);
/* A signal handler left in between: let go of what was locked. */
void hotpath__blocks_unlock(struct thread *me);

/* In glibc since 2.32. */
#pragma GCC visibility push(default)
extern char __libc_single_threaded __attribute__((weak));
#pragma GCC visibility pop

/* Whether there is one thread in the process, and never was another: it is this one that would make it. */
static inline bool hotpath__is_alone(void)
{
	return &__libc_single_threaded && __libc_single_threaded;
}

/* ---- origin ---- */

/* What the lane holds of an origin that it has not held yet; NULL when there is no room. */
struct held *hotpath__make_held(struct thread *me, uint32_t id);
/* And of a call of malloc that is new. */
struct held *hotpath__learn_call(struct thread *me, uintptr_t from, uint64_t site);

static inline struct held *hotpath__held(struct thread *me, uint32_t id)
{
	struct held *page = me->memory->held[id / ORIGIN_PAGE];
	struct held *held = page ? page + id % ORIGIN_PAGE : NULL;

	return likely(held && held->holding) ? held : hotpath__make_held(me, id);
}

/* Where a call of malloc is in the table, or the empty place where it would be. */
static inline struct call_site *hotpath__find_call(const struct memory *memory, uintptr_t from,
						   uint64_t site)
{
	uint64_t mixed = (from ^ site << 40) * UINT64_C(0x9e3779b97f4a7c15);
	struct call_site *calls = memory->calls;
	uint32_t at = (uint32_t)(mixed >> 32) & memory->calls_mask;

	while (unlikely(calls[at].from != from || calls[at].site != site) && calls[at].held)
		at = (at + 1) & memory->calls_mask;
	return &calls[at];
}

static inline struct held *hotpath__held_from(struct thread *me, uintptr_t from, uint64_t site)
{
	struct held *held = hotpath__find_call(me->memory, from, site)->held;

	return likely(held) ? held : hotpath__learn_call(me, from, site);
}

/* Tell the sum over all threads what has changed, and let it find its peak. */
void hotpath__tell(struct tide *tide, int64_t now, int64_t *all, uint64_t *peak);

static inline void hotpath__tell_at_times(struct tide *tide, int64_t now, int64_t *all,
					  uint64_t *peak)
{
	int64_t untold = now - tide->told;

	if (unlikely(untold > tide->patience || untold < -tide->patience))
		hotpath__tell(tide, now, all, peak);
}

/* A thread that is alone knows all there is; it tells when it is not alone any more. */
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

/* It holds more. */
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

/* Forget the addresses of calls; the lock is held. */
void hotpath__forget_calls(struct thread *me);
void hotpath__zero_holdings(struct thread *me);
void hotpath__zero_origins(void);

#pragma GCC visibility pop

#endif
