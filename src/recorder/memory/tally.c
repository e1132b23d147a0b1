/* SPDX-License-Identifier: MIT */
/*
 * Tallies: what each open call has allocated, for percentiles of calls and for inclusive figures.
 *
 * An allocation only adds to the totals of its lane. The call that allocates is the *owner* of the lane. When another
 * call begins to allocate, or the owner ends, the growth of the lane's totals since it became the owner is added to
 * its figures. At any moment the owner's figure is the lane's total less a base; so nothing is missing or counted
 * twice when the program is killed.
 *
 * A call gets a tally when it, or a call inside it, first allocates. All calls around it get theirs at the same time,
 * so the frames with a tally are always the outermost ones. Until that moment none of them had allocated, so the
 * lane's totals are still those of when they began. What a call allocates inclusively is the growth of the lane's
 * totals until its end; nothing has to be summed up, however deep calls are nested.
 */
#include "heap.h"

#include "process/buckets.h"
#include "process/lanes.h"
#include "process/recorder_state.h"

struct amount {
	uint64_t bytes;
	uint64_t blocks;
	/* Freed blocks, not bytes. */
	uint64_t freed;
};

/* Loaded one by one: they were just stored one by one, and a vector load would have to wait for those stores (no
   store forwarding). */
static struct amount amount_of(const struct hp_lane *lane)
{
	return (struct amount){ load(&lane->bytes, RELAXED), load(&lane->blocks, RELAXED),
				load(&lane->freed_blocks, RELAXED) };
}

struct hp_alloc *hotpath__alloc(struct thread *me, uint64_t *offset)
{
	if (unlikely(!*offset)) {
		uint64_t at = hotpath__lane_take(me, sizeof(struct hp_alloc));
		if (!at) {
			add(&me->lane->counters[HP_COUNTER_allocations], 1);
			return &me->memory->nowhere;
		}
		/* Pairs with the reader's ACQUIRE. */
		store(offset, at, RELEASE);
	}
	return (struct hp_alloc *)(void *)(me->base + *offset);
}

/* Bring the figures of the owner up to date. */
static void settle(struct thread *me, struct amount now)
{
	struct memory *memory = me->memory;
	struct tally *tally = memory->owner;
	if (!tally)
		return;

	struct hp_alloc *alloc = tally->alloc;
	store(&alloc->bytes, now.bytes - load(&alloc->base_bytes, RELAXED), RELAXED);
	store(&alloc->blocks, now.blocks - load(&alloc->base_blocks, RELAXED), RELAXED);
	tally->bytes += now.bytes - load(&memory->since_bytes, RELAXED);
	tally->blocks += now.blocks - load(&memory->since_blocks, RELAXED);
	tally->freed_blocks += now.freed - load(&memory->since_freed, RELAXED);
}

static void become_owner(struct thread *me, struct tally *tally, struct amount now)
{
	struct memory *memory = me->memory;
	struct hp_alloc *alloc = tally ? tally->alloc : NULL;
	bool is_somewhere = alloc && alloc != &memory->nowhere;

	memory->owner = tally;
	me->alloc = alloc;
	if (alloc) {
		store(&alloc->base_bytes, now.bytes - load(&alloc->bytes, RELAXED), RELAXED);
		store(&alloc->base_blocks, now.blocks - load(&alloc->blocks, RELAXED), RELAXED);
	}
	/* Pairs with the reader's ACQUIRE: the bases are stored. */
	store(&me->lane->owner, is_somewhere ? (uint64_t)((char *)alloc - me->base) : 0, RELEASE);
}

void hotpath__own(struct thread *me, struct tally *tally)
{
	struct memory *memory = me->memory;
	struct amount now = amount_of(me->lane);

	settle(me, now);
	store(&memory->since_bytes, now.bytes, RELAXED);
	store(&memory->since_blocks, now.blocks, RELAXED);
	store(&memory->since_freed, now.freed, RELAXED);
	if (memory->owner != tally)
		become_owner(me, tally, now);
}

void hotpath__disown(struct thread *me)
{
	store(&me->owner, NULL, RELAXED);
	if (me->memory)
		hotpath__own(me, NULL);
}

static struct tally *tally_of(const struct thread *me, const struct frame *frame)
{
	return me->tallies + (frame - me->frames);
}

static void begin(struct thread *me, struct frame *frame)
{
	struct tally *tally = tally_of(me, frame);
	bool outside = frame == me->frames;
	struct hp_alloc *alloc = hotpath__alloc(me,
						outside ? &me->lane->outside : &frame->stat->alloc);
	struct amount before = amount_of(me->lane);

	*tally = (struct tally){ .alloc = alloc,
				 .site = outside ? 0 : frame->branch->site,
				 .before_bytes = before.bytes,
				 .before_blocks = before.blocks,
				 .before_freed = before.freed,
				 .serial = ++me->memory->serial };
	if (!outside && !alloc->is_open) {
		store(&alloc->open_bytes, before.bytes, RELAXED);
		store(&alloc->open_blocks, before.blocks, RELAXED);
		store(&alloc->is_open, 1, RELEASE);
	}
	frame->key |= KEY_TALLIED;
}

struct tally *hotpath__tally(struct thread *me)
{
	struct frame *frame = me->top;

	for (; frame > me->frames && !(frame->key & KEY_TALLIED); frame--)
		begin(me, frame);
	if (frame == me->frames && !(frame->key & KEY_TALLIED))
		begin(me, frame);
	return tally_of(me, me->top);
}

/*
 * Where there are strays, each allocation takes the slow path, to see whether it belongs to one.
 *
 * SEQ_CST pairs with the start and end of a session, and with unloading: one of the two threads sees the other's
 * store.
 */
void hotpath__own_at_once(struct thread *me)
{
	const struct recorder *recorder = hotpath__recorder;

	me->owner_sp = me->stack_low + me->top->height;
	store(&me->owner, me->has_strays ? NULL : me->top, SEQ_CST);
	if (load(&recorder->session, SEQ_CST) != me->session ||
	    load(&recorder->unloads, SEQ_CST) != me->unloads)
		store(&me->owner, NULL, RELAXED);
}

/*
 * RELAXED, because a stronger order would cost more than all the rest. If another thread forbids the fast path at
 * this moment, one allocation more may take it.
 */
bool hotpath__pass_on(struct thread *me)
{
	const struct recorder *recorder = hotpath__recorder;
	bool may = load(&me->owner, RELAXED) && load(&recorder->session, RELAXED) == me->session &&
		   load(&recorder->unloads, RELAXED) == me->unloads;

	me->owner_sp = me->stack_low + me->top->height;
	store(&me->owner, may ? me->top : NULL, RELAXED);
	return may;
}

static void count(struct thread *me, struct hp_alloc *alloc, enum hp_alloc_histogram which,
		  uint64_t value)
{
	if (value)
		hotpath__count_value(me, alloc->octaves[which], hp_bucket(value), 1);
}

/* A call has ended: add what it allocated, exclusive and inclusive. */
static void end(struct thread *me, const struct tally *tally, struct amount inclusive, bool nested)
{
	struct hp_alloc *alloc = tally->alloc;

	if (alloc == &me->memory->nowhere)
		return;
	add(nested ? &alloc->nested_bytes : &alloc->inclusive_bytes, inclusive.bytes);
	add(nested ? &alloc->nested_blocks : &alloc->inclusive_blocks, inclusive.blocks);
	count(me, alloc, HP_ALLOC_BYTES, tally->bytes);
	count(me, alloc, HP_ALLOC_BLOCKS, tally->blocks);
	count(me, alloc, HP_ALLOC_INCLUSIVE_BYTES, inclusive.bytes);
	count(me, alloc, HP_ALLOC_INCLUSIVE_BLOCKS, inclusive.blocks);
}

/* What a call has allocated so far, with all calls inside. */
static struct amount inclusive_of(const struct thread *me, const struct tally *tally)
{
	struct amount now = amount_of(me->lane);

	return (struct amount){ now.bytes - load(&tally->before_bytes, RELAXED),
				now.blocks - load(&tally->before_blocks, RELAXED),
				now.freed - load(&tally->before_freed, RELAXED) };
}

uint64_t hotpath__tally_lost(const struct thread *me, const struct frame *frame)
{
	struct amount inclusive = inclusive_of(me, tally_of(me, frame));

	return hotpath__alloc_lost(me, inclusive.blocks, inclusive.freed);
}

void hotpath__tally_end(struct thread *me, const struct frame *frame, bool counts)
{
	struct tally *tally = tally_of(me, frame);
	struct amount inclusive = inclusive_of(me, tally);
	bool nested = frame->stat->depth > 0;

	hotpath__own(me, tally - 1);
	hotpath__pass_on(me);
	/* The blocks that this call allocated are not young any more. */
	tally->serial = 0;
	if (counts)
		end(me, tally, inclusive, nested);
	if (!nested)
		store(&tally->alloc->is_open, 0, RELAXED);
}

/* Whether the tally in a stray is its own, not that of the call that had the entry before. */
static bool has_tally(const struct stray *stray)
{
	return stray->tally.alloc && stray->tally.serial == stray->start;
}

/* The tally of a stray. Strays run interleaved with other calls, so what is allocated inside them is added when an
   inner stray ends. */
struct tally *hotpath__stray_tally(struct thread *me, struct stray *stray)
{
	struct tally *tally = &stray->tally;

	if (!has_tally(stray))
		*tally = (struct tally){ .alloc = hotpath__alloc(me, &stray->branch->stat->alloc),
					 .site = stray->branch->site,
					 .serial = stray->start };
	return tally;
}

static struct amount stray_inclusive(const struct tally *tally)
{
	return (struct amount){ tally->bytes + tally->before_bytes,
				tally->blocks + tally->before_blocks,
				tally->freed_blocks + tally->before_freed };
}

uint64_t hotpath__stray_tally_lost(struct thread *me, struct stray *stray)
{
	struct tally *tally = &stray->tally;

	if (!me->memory || !has_tally(stray))
		return 0;
	if (me->memory->owner == tally)
		hotpath__own(me, tally);
	struct amount inclusive = stray_inclusive(tally);
	return hotpath__alloc_lost(me, inclusive.blocks, inclusive.freed);
}

void hotpath__stray_tally_end(struct thread *me, struct stray *stray, bool nested)
{
	struct tally *tally = &stray->tally;
	struct stray *around = stray->around;

	if (!me->memory || !has_tally(stray))
		return;
	if (me->memory->owner == tally)
		hotpath__disown(me);
	struct amount inclusive = stray_inclusive(tally);
	end(me, tally, inclusive, nested);
	tally->alloc = NULL;
	if (!around || load(&around->key, RELAXED) <= KEY_TAKEN)
		return;
	struct tally *outer = hotpath__stray_tally(me, around);
	outer->before_bytes += inclusive.bytes;
	outer->before_blocks += inclusive.blocks;
	outer->before_freed += inclusive.freed;
}

static void zero_alloc(struct thread *me, uint64_t at)
{
	struct hp_alloc *alloc = (struct hp_alloc *)(void *)(me->base + at);
	uint64_t *figures = &alloc->bytes;

	for (; figures <= &alloc->nested_blocks; figures++)
		store(figures, 0, RELAXED);
	for (unsigned i = 0; i < HP_ALLOC_HISTOGRAMS; i++)
		hotpath__zero_histogram(me->base, alloc->octaves[i]);
}

/* The tallies of open calls belong to the session before. */
static void forget_tallies(struct thread *me)
{
	store(&me->owner, NULL, RELAXED);
	me->memory->owner = NULL;
	for (struct frame *frame = me->frames; me->top && frame <= me->top; frame++)
		frame->key &= ~KEY_TALLIED;
	for (unsigned i = 0; i < STRAYS; i++)
		me->strays[i].tally.alloc = NULL;
}

void hotpath__zero_memory(struct thread *me)
{
	struct hp_lane *lane = me->lane;

	if (!me->memory)
		return;
	store(&lane->owner, 0, RELAXED);
	store(&lane->bytes, 0, RELAXED);
	store(&lane->blocks, 0, RELAXED);
	store(&lane->freed_blocks, 0, RELAXED);
	if (lane->outside)
		zero_alloc(me, lane->outside);
	for (uint64_t at = lane->stats; at;) {
		struct hp_stat *stat = (struct hp_stat *)(void *)(me->base + at);
		if (stat->alloc)
			zero_alloc(me, stat->alloc);
		at = stat->next;
	}
	forget_tallies(me);
	me->memory->tide.told = 0;
	me->memory->latest = 0;
	hotpath__zero_holdings(me);
}
