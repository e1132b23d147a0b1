/* SPDX-License-Identifier: MIT */
/*
 * Origins: the places that allocate, each a call of malloc with its callers, inside one measured function or inside none.
 *
 * A thread finds the origin of an allocation by a hash of its stack, in a table of its own; the first time, it looks up
 * the origin's number, which is the same for all threads: there, stacks are compared frame by frame, each a module and an
 * address in its file. The number is stored with the block. The thread that frees the block finds its own lane's holding of
 * the origin by this number.
 *
 * There are HP_ORIGINS_MAX origins at most, each of 384 bytes or less: 25 MB of the segment.
 */
#include "heap.h"

#include "calls/modules.h"
#include "cpu/sampler.h"
#include "process/lanes.h"
#include "process/lifecycle.h"
#include "process/platform.h"
#include "process/recorder_state.h"
#include "process/room.h"
#include "process/segment_file.h"

#include <string.h>

enum {
	BUCKET_BITS = 14,
	BUCKETS = 1 << BUCKET_BITS,
};

/* The key of an origin. The frames are those of its stack, in the format of the segment. */
struct place {
	uint32_t site;
	uint32_t call;
	uint32_t depth;
	uint32_t end;
	const uint64_t *frames;
};

static struct hp_origin **page_of(uint32_t id)
{
	struct hp_origin ***page = &hotpath__recorder->origins[id / ORIGIN_PAGE];

	if (!*page)
		store(page, hotpath__private(ORIGIN_PAGE * sizeof(struct hp_origin *)), RELEASE);
	return *page;
}

static uint32_t hash(const struct place *place)
{
	uint64_t hash = (uint64_t)place->site << 32 | place->call;

	for (uint32_t i = 0; i < place->depth; i++)
		hash = (hash ^ place->frames[i]) * UINT64_C(0x9e3779b97f4a7c15) ^ hash >> 29;
	return (uint32_t)(hash >> (64 - BUCKET_BITS));
}

static struct hp_stack *stack_of(const struct hp_origin *origin)
{
	return (struct hp_stack *)(void *)(hotpath__recorder->base + origin->stack);
}

static bool is_at(const struct hp_origin *origin, const struct place *place)
{
	if (origin->site != place->site || origin->call != place->call)
		return false;
	if (!origin->stack || !place->depth)
		return !origin->stack && !place->depth;
	const struct hp_stack *stack = stack_of(origin);
	return stack->depth == place->depth && stack->end == place->end &&
	       memcmp(stack->frames, place->frames, place->depth * sizeof(*place->frames)) == 0;
}

static struct hp_origin *find_origin(const struct recorder *recorder, const struct place *place)
{
	uint32_t id = recorder->origin_buckets ? recorder->origin_buckets[hash(place)] : 0;

	while (id) {
		struct hp_origin *origin = page_of(id)[id % ORIGIN_PAGE];
		if (is_at(origin, place))
			return origin;
		id = origin->chain;
	}
	return NULL;
}

/* Store the stack of an origin, right behind it. */
static void set_stack(struct hp_origin *origin, uint64_t at, const struct place *place)
{
	if (!place->depth)
		return;
	origin->stack = at + sizeof(*origin);
	struct hp_stack *stack = stack_of(origin);
	stack->depth = place->depth;
	stack->end = place->end;
	memcpy(stack->frames, place->frames, place->depth * sizeof(*place->frames));
}

static uint64_t size_of(const struct place *place)
{
	return sizeof(struct hp_origin) +
	       (place->depth ? sizeof(struct hp_stack) + place->depth * sizeof(uint64_t) : 0);
}

/* A new origin; NULL when there is no room. */
static struct hp_origin *add_origin(struct recorder *recorder, const struct place *place)
{
	struct hp_header *header = hotpath__header();
	uint32_t id = header->origin_count + 1;

	if (!recorder->origin_buckets)
		recorder->origin_buckets = hotpath__private(BUCKETS * sizeof(uint32_t));
	struct hp_origin **page = id <= HP_ORIGINS_MAX ? page_of(id) : NULL;
	uint64_t at = page && recorder->origin_buckets ? hotpath__segment_take(size_of(place)) : 0;
	if (!at)
		return NULL;
	struct hp_origin *origin = (struct hp_origin *)(void *)(recorder->base + at);
	uint32_t *bucket = &recorder->origin_buckets[hash(place)];
	*origin = (struct hp_origin){ .next = header->origins,
				      .id = id,
				      .site = place->site,
				      .call = place->call,
				      .chain = *bucket };
	set_stack(origin, at, place);
	page[id % ORIGIN_PAGE] = origin;
	*bucket = id;
	/* Pairs with the reader's ACQUIRE. */
	store(&header->origins, at, RELEASE);
	store(&header->origin_count, id, RELEASE);
	return origin;
}

/* Add a holding of an origin to the lane; NULL when there is no room. */
static struct hp_holding *add_holding(struct thread *me, uint32_t id)
{
	uint64_t at = hotpath__lane_take(me, sizeof(struct hp_holding));
	if (!at)
		return NULL;

	struct hp_holding *holding = (struct hp_holding *)(void *)(me->base + at);
	holding->origin = id;
	holding->next = me->lane->holdings;
	/* Pairs with the reader's ACQUIRE. */
	store(&me->lane->holdings, at, RELEASE);
	return holding;
}

static struct held *held_at(struct thread *me, uint32_t id)
{
	struct held **page = &me->memory->held[id / ORIGIN_PAGE];
	struct guard guard;

	if (unlikely(!*page)) {
		hotpath__lock(&guard);
		*page = hotpath__private(ORIGIN_PAGE * sizeof(struct held));
		hotpath__unlock(&guard);
	}
	return *page ? *page + id % ORIGIN_PAGE : NULL;
}

/* The origin with a number; a stand-in for origin 0, which is that of blocks without an origin of their own. */
static struct hp_origin *known_origin(struct thread *me, uint32_t id)
{
	if (id == 0)
		return &me->memory->nobody;
	/* ACQUIRE pairs with the RELEASE of the page. The origin itself was stored before the block was allocated,
	   and the program orders that before the free. */
	struct hp_origin **page = load(&hotpath__recorder->origins[id / ORIGIN_PAGE], ACQUIRE);
	struct hp_origin *origin = page ? load(&page[id % ORIGIN_PAGE], RELAXED) : NULL;
	return origin ? origin : &me->memory->nobody;
}

struct held *hotpath__make_held(struct thread *me, uint32_t id)
{
	struct held *held = held_at(me, id);

	if (!held)
		return NULL;
	if (unlikely(!held->holding)) {
		struct hp_holding *holding = add_holding(me, id);
		if (!holding)
			return NULL;
		*held = (struct held){ .holding = holding, .origin = known_origin(me, id) };
	}
	return held;
}

static void empty_calls(struct memory *memory)
{
	memset(memory->calls, 0, ((size_t)memory->calls_mask + 1) * sizeof(*memory->calls));
	memory->calls_used = 0;
}

/* Double the hash table when it is half full, or begin anew: a program may have any number of stacks, of which HP_ORIGINS_MAX
   have origins. False when it is full and cannot grow. */
static bool room_for_call(struct memory *memory)
{
	const struct call_site *old = memory->calls;
	uint32_t count = memory->calls_mask + 1;

	if (memory->calls_used < count / 2)
		return true;
	if (count == CALLS_LAST) {
		empty_calls(memory);
		return true;
	}
	struct call_site *calls = hotpath__private((size_t)count * 2 * sizeof(*calls));
	if (!calls)
		return memory->calls_used < count - 1;
	memory->calls = calls;
	memory->calls_mask = count * 2 - 1;
	for (uint32_t i = 0; i < count; i++)
		if (old[i].held)
			*hotpath__find_call(memory, old[i].key) = old[i];
	return true;
}

/* The frames of the stack that was taken, as far as their code is known. */
static void set_frames(struct memory *memory, struct place *place)
{
	const struct callers *callers = &memory->callers;

	place->frames = memory->frames;
	place->end = callers->end;
	if (memory->mode != HP_ALLOC_LIVE)
		return;
	for (; place->depth < callers->depth; place->depth++) {
		uint64_t frame = hotpath__return_frame(callers->returns[place->depth]);
		if (!frame) {
			place->end = HP_STACK_BROKEN;
			return;
		}
		memory->frames[place->depth] = frame;
	}
}

/* The number of an origin, which is registered when it is new; 0 when there is no room. The lock is held. */
static uint32_t number(struct memory *memory, uint32_t site)
{
	struct recorder *recorder = hotpath__recorder;
	struct place place = { .site = site,
			       .call = hotpath__call_site(memory->callers.returns[0]) };

	set_frames(memory, &place);
	struct hp_origin *origin = find_origin(recorder, &place);
	if (!origin)
		origin = add_origin(recorder, &place);
	if (!origin)
		hotpath__count(HP_COUNTER_origins);
	return origin ? origin->id : 0;
}

/* The lock also blocks signals, so that no handler can leave by siglongjmp while the table is changed. */
struct held *hotpath__learn_call(struct thread *me, uint64_t key, uint64_t site)
{
	struct memory *memory = me->memory;
	struct held *held = memory->rehearsed;
	struct guard guard;

	hotpath__lock(&guard);
	if (!held)
		held = hotpath__make_held(me, number(memory, (uint32_t)site));
	/* Calls are not remembered while code is being unloaded: other code may get the address. */
	if (held && !hotpath__recorder->unloading && room_for_call(memory)) {
		*hotpath__find_call(memory, key) = (struct call_site){ key, held };
		memory->calls_used++;
	}
	hotpath__unlock(&guard);
	return held;
}

void hotpath__forget_calls(struct thread *me)
{
	struct memory *memory = me->memory;

	if (!memory)
		return;
	empty_calls(memory);
	hotpath__forget_seen(memory);
}

void hotpath__zero_holdings(struct thread *me)
{
	for (uint64_t at = me->lane->holdings; at;) {
		struct hp_holding *holding = (struct hp_holding *)(void *)(me->base + at);
		store(&holding->bytes, 0, RELAXED);
		store(&holding->blocks, 0, RELAXED);
		store(&holding->freed_bytes, 0, RELAXED);
		store(&holding->freed_blocks, 0, RELAXED);
		store(&holding->temporary_blocks, 0, RELAXED);
		at = holding->next;
	}
	for (unsigned i = 0; me->memory && i < ORIGIN_PAGES; i++)
		for (unsigned j = 0; me->memory->held[i] && j < ORIGIN_PAGE; j++)
			me->memory->held[i][j].tide.told = 0;
}

void hotpath__zero_origins(void)
{
	struct hp_header *header = hotpath__header();

	store(&header->told_bytes, 0, RELAXED);
	store(&header->peak_bytes, 0, RELAXED);
	for (uint64_t at = header->origins; at;) {
		struct hp_origin *origin = (struct hp_origin *)(void *)(hotpath__recorder->base +
									at);
		store(&origin->told_bytes, 0, RELAXED);
		store(&origin->peak_bytes, 0, RELAXED);
		at = origin->next;
	}
}

static void raise_to(uint64_t *peak, uint64_t to)
{
	uint64_t before = load(peak, RELAXED);

	while (before < to && !__atomic_compare_exchange_n(peak, &before, to, false,
							   __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/* The patience grows with each call, up to HP_UNTOLD_BYTES. RELAXED: the counter publishes no other data. */
void hotpath__tell(struct tide *tide, int64_t now, int64_t *all, uint64_t *peak)
{
	int64_t by = now - tide->told;
	int64_t sum = fetch_add(all, by, RELAXED) + by;

	tide->told = now;
	if (tide->patience < HP_UNTOLD_BYTES)
		tide->patience = tide->patience * 2 + 256;
	if (sum > 0)
		raise_to(peak, (uint64_t)sum);
}
