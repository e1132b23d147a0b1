/* SPDX-License-Identifier: MIT */
/*
 * Measures what the malloc probe costs, with an allocator that does nothing.
 *
 * The rehearsal runs the probe's own functions, and the recorder behind them, with a temporary thread state: nothing
 * of it is in the figures of the program.
 */
#include "alloc_cost.h"

#include "cpu/sampler.h"
#include "heap.h"
#include "probe.h"
#include "process/clock.h"
#include "process/recorder_state.h"
#include "process/seccomp.h"
#include "process/settings.h"

#include <sys/mman.h>

enum {
	BLOCKS = 64,
	/* The first rounds warm the caches. */
	ROUNDS = 40,
	WARM_ROUNDS = 8,
};

struct rehearsal {
	struct thread thread;
	struct memory memory;
	struct hp_lane lane;
	struct held held[ORIGIN_PAGE];
	struct walker walker;
	void *blocks[BLOCKS];
};

/* All in 1/256 ticks: the cost of a call of malloc and free; and the mean of the timed parts of both. */
struct costs {
	uint64_t alloc, free;
	uint64_t follow, unfollow;
};

/* Kept in a forked child, where the costs and the functions are the same. */
static struct costs known;
static const struct hotpath__doors *doors;

void hotpath__rehearse_with(const struct hotpath__doors *rehearsed)
{
	store(&doors, rehearsed, RELAXED);
}

/* Measurements longer than this, about 30 µs, include time of other programs, and are dropped. */
static uint64_t most_ticks(void)
{
	return load(&hotpath__header()->ticks_per_second, RELAXED) >> 15;
}

static uint64_t mean(const struct timed *timed)
{
	return timed->calls ? (timed->ticks << 8) / timed->calls : 0;
}

static uint64_t cost_of(const struct timed *timed, uint64_t rehearsed, uint64_t time)
{
	return rehearsed + hotpath__less(mean(timed), time);
}

static void set_costs(const struct thread *me)
{
	const struct memory *memory = me->memory;
	uint64_t alloc = cost_of(&memory->follow_timed, known.alloc, known.follow);
	uint64_t free = cost_of(&memory->unfollow_timed, known.free, known.unfollow);

	store(&me->lane->alloc_cost, (uint32_t)alloc, RELAXED);
	store(&me->lane->free_cost, (uint32_t)free, RELAXED);
}

void hotpath__cost_timed(const struct thread *me, struct timed *timed, uint64_t ticks)
{
	uint64_t start = hotpath__ticks_after(), reading = hotpath__ticks_after() - start;

	if (ticks > most_ticks() || reading > most_ticks())
		return;
	timed->ticks += hotpath__less(ticks, reading);
	timed->calls++;
	set_costs(me);
}

/* ---- the rehearsal ---- */

/* Prepare the state as if a function had allocated before, on the stack of this thread. */
static void prepare(struct rehearsal *rehearsal, const struct thread *real)
{
	struct thread *me = &rehearsal->thread;
	struct memory *memory = &rehearsal->memory;

	memory->mode = hotpath__settings()->alloc;
	memory->calls = memory->first_calls;
	memory->calls_mask = CALLS_FIRST - 1;
	memory->young = memory->first_young;
	memory->young_mask = YOUNG_FIRST - 1;
	memory->owner = me->first_tallies;
	memory->owner->alloc = &memory->nowhere;
	memory->held[0] = rehearsal->held;
	rehearsal->held[0] = (struct held){ .holding = &memory->nothing,
					    .origin = &memory->nobody };
	memory->rehearsed = rehearsal->held;
	memory->walker = memory->mode == HP_ALLOC_LIVE ? &rehearsal->walker : NULL;
	me->base = hotpath__recorder->base;
	me->lane = &rehearsal->lane;
	me->memory = memory;
	me->alloc = &memory->nowhere;
	me->frames = me->first;
	me->tallies = me->first_tallies;
	me->top = me->owner = me->frames;
	me->tid = real->tid;
	me->stack_low = real->stack_low;
	me->frames[0].height = real->frames[0].height;
	me->owner_sp = UINTPTR_MAX;
	me->session = hotpath__recorder->session;
	me->busy = READY;
}

/* One round of 64 allocations and frees. The blocks have size 0, so they do not raise the peak of allocated bytes. */
static void play(struct rehearsal *rehearsal, struct costs *least)
{
	uint64_t start = hotpath__ticks_after();
	for (unsigned i = 0; i < BLOCKS; i++)
		rehearsal->blocks[i] = doors->malloc(0);
	uint64_t middle = hotpath__ticks_after();
	for (unsigned i = 0; i < BLOCKS; i++)
		doors->free(rehearsal->blocks[i]);
	uint64_t end = hotpath__ticks_after();
	uint64_t alloc = ((middle - start) << 8) / BLOCKS, free = ((end - middle) << 8) / BLOCKS;

	least->alloc = alloc < least->alloc ? alloc : least->alloc;
	least->free = free < least->free ? free : least->free;
}

static struct costs rehearse(struct rehearsal *rehearsal, const struct thread *real)
{
	struct costs costs = { UINT64_MAX, UINT64_MAX, 0, 0 };
	struct memory *memory = &rehearsal->memory;

	prepare(rehearsal, real);
	for (unsigned i = 0; i < ROUNDS; i++) {
		play(rehearsal, &costs);
		if (i + 1 == WARM_ROUNDS)
			memory->follow_timed = memory->unfollow_timed = (struct timed){ 0, 0 };
	}
	costs.follow = mean(&memory->follow_timed);
	costs.unfollow = mean(&memory->unfollow_timed);
	/* Freed blocks are not counted in this mode: the cost of free is charged to the allocation. */
	if (memory->mode == HP_ALLOC_COUNT)
		costs.alloc += costs.free;
	return costs;
}

/* The lock is held, which blocks signals: a handler would find the temporary state. */
static void find_costs(const struct thread *real)
{
	struct rehearsal *rehearsal = mmap(NULL, sizeof(*rehearsal), PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct thread *me = hotpath__me;

	if (rehearsal == MAP_FAILED)
		return;
	hotpath__me = &rehearsal->thread;
	known = rehearse(rehearsal, real);
	hotpath__me = me;
	munmap(rehearsal, sizeof(*rehearsal));
}

void hotpath__cost_begin(const struct thread *me)
{
	if (!known.alloc && load(&doors, RELAXED))
		find_costs(me);
	set_costs(me);
}
