/* SPDX-License-Identifier: MIT */
/*
 * Records each allocation and each free.
 *
 * The innermost open call has a tally, and through it the figures of its function. Either the fast path may assume
 * that it is the owner, or the slow path finds it. Everything is counted immediately, so that it is complete if the
 * program is killed, or read while it runs. With HP_ALLOC_LIVE each block is also kept in a table, with its origin,
 * until it is freed.
 *
 * A thread is busy while it counts, as in the hot path. Signal handlers that interrupt it use the second state, and
 * threads that have ended share one state.
 */
#include "heap.h"

#include "alloc_cost.h"
#include "blocks.h"
#include "calls/stack.h"
#include "calls/stray.h"
#include "cpu/sampler.h"
#include "probe.h"
#include "process/clock.h"
#include "process/handover.h"
#include "process/lifecycle.h"
#include "process/platform.h"
#include "process/room.h"
#include "process/threads.h"

#include <errno.h>

/* An allocation, a free, or a half of a reallocation. */
struct event {
	uintptr_t block;
	uint64_t size;
	uint64_t rounded;
	uintptr_t from;
	/* The stack pointer of the caller. */
	uintptr_t sp;
	enum hotpath_heap heap;
	/* The old block of a reallocation; else NULL. */
	struct moving *moving;
};

/* Whether blocks are kept in the table until they are freed. In HP_ALLOC_FREED this is for blocks of a pool, whose
   size cannot be found otherwise. */
static inline bool is_followed(enum hp_alloc_mode mode, enum hotpath_heap heap)
{
	return mode == HP_ALLOC_LIVE || (heap == HEAP_POOL && mode == HP_ALLOC_FREED);
}

/* Count a block as freed in this lane's holding of its origin; it may have been allocated in another lane. */
HOT struct held *release(struct thread *me, struct block block, bool alone)
{
	struct held *held = hotpath__held(me, (uint32_t)block.origin);

	add(&me->lane->tenants.freed_bytes, block.size);
	if (unlikely(!held)) {
		add(&me->lane->counters[HP_COUNTER_allocations], 1);
		return NULL;
	}
	add(&held->holding->freed_bytes, block.size);
	add(&held->holding->freed_blocks, 1);
	if (!alone)
		hotpath__tell_less(me, held);
	return held;
}

/* Put an allocated block into the table. If there is another block at its address, that was freed without our
   knowledge. */
HOT void follow(struct thread *me, struct event event)
{
	struct memory *memory = me->memory;
	const struct tally *tally = memory->owner;
	struct held *held = hotpath__held_from(me, event.from, event.sp, tally->site);
	struct block before = { 0, BLOCK_LOST };
	bool alone = hotpath__is_alone();

	if (likely(held)) {
		struct block block = { event.size, held->holding->origin };
		before = hotpath__put_block(me, event.heap, event.block, block, alone);
	}
	if (unlikely(before.origin == BLOCK_LOST)) {
		add(&me->lane->counters[HP_COUNTER_lost_blocks], 1);
		return;
	}
	add(&held->holding->bytes, event.size);
	add(&held->holding->blocks, 1);
	hotpath__tell_more(me, held, alone);
	if (unlikely(before.origin != BLOCK_NONE))
		release(me, before, alone);
	memory->latest = event.block;
	memory->latest_alloc = tally->alloc;
	if (tally > me->tallies && tally <= me->tallies + (me->top - me->frames))
		hotpath__young_put(me, event.block, tally);
}

/* Not inlined, to save code size. */
static __attribute__((noinline)) void allocate(struct thread *me, const struct event *event)
{
	enum hp_alloc_mode mode = me->memory->mode;

	add(&me->lane->bytes, event->size);
	add(&me->lane->blocks, 1);
	if (mode == HP_ALLOC_FREED)
		add(&me->lane->tenants.rounded_bytes, event->rounded);
	if (is_followed(mode, event->heap))
		follow(me, *event);
}

HOT void count_temporary(struct thread *me, uintptr_t address, struct held *held)
{
	struct memory *memory = me->memory;
	struct hp_alloc *alloc = memory->has_young ? hotpath__young_take(me, address) : NULL;

	if (memory->latest == address)
		alloc = memory->latest_alloc;
	memory->latest = 0;
	if (!alloc)
		return;
	add(&alloc->temporary_blocks, 1);
	if (held)
		add(&held->holding->temporary_blocks, 1);
}

/* Take a block that is about to be freed out of the table; its origin is BLOCK_NONE when it is not known. */
HOT struct block take(struct thread *me, enum hotpath_heap heap, uintptr_t address)
{
	struct block block = hotpath__take_block(me, heap, address);

	if (unlikely(block.origin == BLOCK_NONE))
		add(&me->lane->counters[HP_COUNTER_unknown_blocks], 1);
	if (unlikely(block.origin == BLOCK_LOST)) {
		add(&me->lane->counters[HP_COUNTER_lost_blocks], 1);
		block.origin = BLOCK_NONE;
	}
	return block;
}

HOT void count_freed(struct thread *me, uint64_t bytes)
{
	add(&me->alloc->freed_bytes, bytes);
	add(&me->alloc->freed_blocks, 1);
	add(&me->lane->freed_blocks, 1);
}

HOT void free_known(struct thread *me, uintptr_t address, struct block block, bool alone)
{
	count_temporary(me, address, release(me, block, alone));
	count_freed(me, block.size);
}

HOT void free_rounded(struct thread *me, uint64_t bytes)
{
	add(&me->lane->tenants.freed_bytes, bytes);
	count_freed(me, bytes);
}

/* Not inlined, to save code size: the callers are not on the fast path. */
static __attribute__((noinline)) void free_slowly(struct thread *me, uintptr_t address,
						  struct block block)
{
	free_known(me, address, block, hotpath__is_alone());
}

static void free_block(struct thread *me, const struct event *event)
{
	if (!is_followed(me->memory->mode, event->heap)) {
		if (me->memory->mode == HP_ALLOC_FREED)
			free_rounded(me, event->rounded);
		return;
	}
	struct block block = take(me, event->heap, event->block);
	if (likely(block.origin != BLOCK_NONE))
		free_slowly(me, event->block, block);
}

/* Take a block out of the table before it is reallocated: afterwards another thread may get its address. */
static void move_out(struct thread *me, const struct event *event)
{
	struct moving *moving = event->moving;

	if (is_followed(me->memory->mode, event->heap))
		moving->known = take(me, event->heap, event->block);
}

/* The reallocation failed: put the block back. */
static void move_back(struct thread *me, const struct event *event)
{
	const struct moving *moving = event->moving;

	if (moving->known.origin == BLOCK_NONE)
		return;
	struct block before = hotpath__put_block(me, event->heap, moving->block, moving->known,
						 false);
	if (before.origin == BLOCK_LOST)
		add(&me->lane->counters[HP_COUNTER_lost_blocks], 1);
}

/* The reallocation succeeded: count the old block as freed, and the new one, if there is one, as allocated. */
static void move_in(struct thread *me, const struct event *event)
{
	const struct moving *moving = event->moving;

	if (moving->known.origin != BLOCK_NONE)
		free_slowly(me, moving->block, moving->known);
	else if (me->memory->mode == HP_ALLOC_FREED)
		free_rounded(me, moving->rounded);
	if (event->block)
		allocate(me, event);
}

/* ---- who allocates ---- */

static bool is_left(const struct thread *me, uintptr_t sp)
{
	return me->top > me->frames && sp - me->stack_low > me->top->height;
}

/* The stray that runs at this stack pointer, if that is on another stack than the thread's own; NULL otherwise. */
static struct stray *stray_of(struct thread *me, uintptr_t sp)
{
	if (hotpath__own_stack(me, sp) && !(is_left(me, sp) && hotpath__on_signal_stack()))
		return NULL;
	return hotpath__stray_around(me, sp);
}

/* Make the call that runs at this stack pointer the owner. Frames that were left by longjmp are abandoned first. */
static void find_owner(struct thread *me, uintptr_t sp)
{
	bool is_first = hotpath__is_first(me);

	if (is_first && sp < me->stack_low)
		hotpath__extend_stack(me);
	struct stray *stray = is_first ? stray_of(me, sp) : NULL;
	if (stray) {
		store(&me->owner, NULL, RELAXED);
		hotpath__own(me, hotpath__stray_tally(me, stray));
		return;
	}
	bool own = !is_first || hotpath__own_stack(me, sp);
	while (own && is_left(me, sp) && !(is_first && hotpath__on_signal_stack()))
		hotpath__abandon_top(me);
	hotpath__own(me, hotpath__tally(me));
	hotpath__own_at_once(me);
}

static struct memory *make_memory(struct thread *me)
{
	struct memory *memory = hotpath__private(sizeof(*memory));
	struct hp_header *header = hotpath__header();

	if (!memory)
		return NULL;
	memory->mode = hotpath__settings()->alloc;
	memory->calls = memory->first_calls;
	memory->calls_mask = CALLS_FIRST - 1;
	if (memory->mode == HP_ALLOC_LIVE)
		memory->walker = hotpath__private(sizeof(*memory->walker));
	memory->young = memory->first_young;
	memory->young_mask = YOUNG_FIRST - 1;
	store(&header->alloc_mode, memory->mode, RELAXED);
	me->memory = memory;
	hotpath__cost_begin(me);
	return memory;
}

static bool has_memory(struct thread *me)
{
	struct guard guard;

	if (likely(me->memory != NULL))
		return true;
	hotpath__lock(&guard);
	bool made = make_memory(me) != NULL;
	hotpath__unlock(&guard);
	if (!made)
		hotpath__count(HP_COUNTER_lost_blocks);
	return made;
}

typedef void act(struct thread *me, const struct event *event);

/* Act for a thread whose last destructor has run: such threads share one state, which the lock protects. */
static void act_as_orphan(act *what, const struct event *event)
{
	struct guard guard;

	hotpath__lock(&guard);
	struct thread *me = hotpath__ready() == STATE_RUNNING ? hotpath__attach_orphan() : NULL;
	uint32_t session = hotpath__recorder->session;
	if (me && !hotpath__is_stopped(session)) {
		if (me->session != session)
			hotpath__thread_renew(me, session);
		hotpath__thread_unloads(me);
		if (has_memory(me)) {
			hotpath__own(me, hotpath__tally(me));
			what(me, event);
		}
	}
	hotpath__unlock(&guard);
}

/* Whether another recorder counts allocations. False while this thread holds the lock: it may be looking for that
   recorder, and the dynamic linker allocates. */
static bool is_handed_over(void)
{
	return !hotpath__is_locking() && hotpath__state() == STATE_HANDED_OVER;
}

/*
 * Subtract the time of the slow path from the call: the first allocation at a place takes many times as long as the
 * later ones. Not more than a quarter of a millisecond, though: what is longer was another program's time.
 */
static void take_off(struct thread *me, uint64_t ticks)
{
	uint64_t most = load(&hotpath__header()->ticks_per_second, RELAXED) >> 12;
	uint64_t taken = ticks < most ? ticks : most;

	me->top->lost += taken << 8;
	add(&me->lane->slow, taken);
}

/* The slow path. It does nothing for a thread that holds the lock: the recorder does not allocate, but some libc
   functions that it calls might. */
static void act_slowly(act *what, const struct event *event, uintptr_t sp)
{
	int saved_errno = errno;

	/* Tested first, so that the clock is not read when nothing is recorded. */
	if (hotpath__is_locking() || hotpath__is_idle())
		return;
	uint64_t since = hotpath__ticks();
	struct thread *me = hotpath__gone ? NULL : hotpath__enter(sp);
	if (hotpath__gone) {
		act_as_orphan(what, event);
	} else if (me) {
		hotpath__enter_busy(me, sp);
		if (has_memory(me)) {
			find_owner(me, sp);
			what(me, event);
		}
		take_off(me, hotpath__ticks() - since);
		hotpath__leave_busy(me);
	}
	errno = saved_errno;
}

/* ---- what probes call ---- */

static enum hp_alloc_mode alloc_mode(void)
{
	const struct settings *settings = hotpath__settings();

	return settings->off ? HP_ALLOC_NONE : settings->alloc;
}

/* If only the innermost call has changed since the last allocation: make that the owner. False when the slow path
   must look. */
static bool has_changed_owner(struct thread *me, uintptr_t sp)
{
	if (!me || me->busy != READY || !load(&me->owner, RELAXED) ||
	    sp > me->stack_low + me->top->height)
		return false;
	uint64_t since = hotpath__ticks();
	hotpath__enter_busy(me, sp);
	hotpath__own(me, hotpath__tally(me));
	bool changed = hotpath__pass_on(me);
	take_off(me, hotpath__ticks() - since);
	hotpath__leave_busy(me);
	return changed;
}

/* Do this for an event: on the fast path if possible. */
static void act_on(act *what, const struct event *event, uintptr_t sp)
{
	struct thread *me = hotpath__me;

	if (hotpath__may_act_at_once(me, sp) || has_changed_owner(me, sp)) {
		hotpath__enter_busy(me, sp);
		what(me, event);
		hotpath__leave_busy(me);
	} else if (!hotpath__is_idle() && alloc_mode() != HP_ALLOC_NONE) {
		act_slowly(what, event, sp);
	}
}

void hotpath__allocated(uintptr_t block, uint64_t size, uint64_t rounded, uintptr_t from,
			uintptr_t sp, enum hotpath_heap heap)
{
	struct event event = { block, size, rounded, from, sp, heap, NULL };

	if (unlikely(!hotpath__me) && is_handed_over())
		hotpath__recorder->other->allocated(block, size, rounded, from, sp, heap);
	else
		act_on(allocate, &event, sp);
}

void hotpath__freed(uintptr_t block, uint64_t rounded, uintptr_t sp, enum hotpath_heap heap)
{
	struct event event = { block, 0, rounded, 0, sp, heap, NULL };

	if (unlikely(!hotpath__me) && is_handed_over())
		hotpath__recorder->other->freed(block, rounded, sp, heap);
	else
		act_on(free_block, &event, sp);
}

/* Like hotpath__allocated, but without the tests for modes other than HP_ALLOC_LIVE: every nanosecond counts here. */
void hotpath__follow(uintptr_t block, uint64_t size, uintptr_t from, uintptr_t sp)
{
	struct thread *me = hotpath__me;

	if (unlikely(!hotpath__may_act_at_once(me, sp))) {
		hotpath__allocated(block, size, 0, from, sp, HEAP_MALLOC);
		return;
	}
	hotpath__enter_busy(me, sp);
	uint64_t since = hotpath__timed_since(me->lane->blocks);
	add(&me->lane->bytes, size);
	add(&me->lane->blocks, 1);
	follow(me, (struct event){ block, size, 0, from, sp, HEAP_MALLOC, NULL });
	if (unlikely(since))
		hotpath__cost_timed(me, &me->memory->follow_timed, hotpath__ticks_after() - since);
	hotpath__leave_busy(me);
}

void hotpath__unfollow(uintptr_t block, uintptr_t sp)
{
	struct thread *me = hotpath__me;

	if (unlikely(!hotpath__may_act_at_once(me, sp))) {
		hotpath__freed(block, 0, sp, HEAP_MALLOC);
		return;
	}
	hotpath__enter_busy(me, sp);
	/* The complement, so that it is not always the free of a block whose malloc was timed. */
	uint64_t since = hotpath__timed_since(~me->lane->freed_blocks);
	bool alone = hotpath__is_alone();
	struct block known = take(me, HEAP_MALLOC, block);
	if (likely(known.origin != BLOCK_NONE))
		free_known(me, block, known, alone);
	if (unlikely(since))
		hotpath__cost_timed(me, &me->memory->unfollow_timed,
				    hotpath__ticks_after() - since);
	hotpath__leave_busy(me);
}

void hotpath__move_begin(struct moving *moving)
{
	struct event event = { .block = moving->block, .moving = moving };

	moving->known.origin = BLOCK_NONE;
	if (unlikely(!hotpath__me) && is_handed_over())
		hotpath__recorder->other->move_begin(moving);
	else
		act_on(move_out, &event, moving->sp);
}

void hotpath__move_end(const struct moving *moving, uintptr_t block, uint64_t size,
		       uint64_t rounded, uintptr_t from)
{
	struct moving copy = *moving;
	struct event event = { block, size, rounded, from, moving->sp, HEAP_MALLOC, &copy };

	if (unlikely(!hotpath__me) && is_handed_over())
		hotpath__recorder->other->move_end(moving, block, size, rounded, from);
	else
		act_on(block || !size ? move_in : move_back, &event, moving->sp);
}

uint64_t hotpath__probe_ticks(void)
{
	return hotpath__ticks();
}

ptrdiff_t hotpath__probe_opens(size_t thread_size)
{
	if (thread_size != sizeof(struct thread))
		return 0;
	return (char *)&hotpath__me - hotpath__thread_pointer();
}

enum hp_alloc_mode hotpath__alloc_mode(bool can_round)
{
	enum hp_alloc_mode mode = alloc_mode();

	if (!can_round)
		hotpath__settings_no_rounding();
	return can_round ? mode : alloc_mode();
}

void hotpath_block_alloc(const void *block, size_t size)
{
	if (block)
		hotpath__allocated((uintptr_t)block, size, size,
				   (uintptr_t)__builtin_return_address(0),
				   (uintptr_t)__builtin_dwarf_cfa(), HEAP_POOL);
}

void hotpath_block_free(const void *block)
{
	if (block)
		hotpath__freed((uintptr_t)block, 0, (uintptr_t)__builtin_dwarf_cfa(), HEAP_POOL);
}
