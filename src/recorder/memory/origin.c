/* SPDX-License-Identifier: MIT */
/*
 * Origins: the places that allocate, each a call of malloc inside one measured function, or inside none.
 *
 * A thread finds the origin of a call by its return address, in a hash table of its own; the first time, it looks up
 * the origin's number, which is the same for all threads. The number is stored with the block. The thread that frees
 * the block finds its own lane's holding of the origin by this number.
 */
#include "heap.h"

#include "calls/modules.h"
#include "process/lanes.h"
#include "process/lifecycle.h"
#include "process/platform.h"
#include "process/recorder_state.h"
#include "process/room.h"
#include "process/segment_file.h"

#include <string.h>

enum {
	BUCKETS = 1024,
};

static struct hp_origin **page_of(uint32_t id)
{
	struct hp_origin ***page = &hotpath__recorder->origins[id / ORIGIN_PAGE];

	if (!*page)
		store(page, hotpath__private(ORIGIN_PAGE * sizeof(struct hp_origin *)), RELEASE);
	return *page;
}

static uint32_t hash(uint32_t site, uint32_t call)
{
	return (site * UINT32_C(0x9e3779b1) ^ call * UINT32_C(0x85ebca6b)) >> 22;
}

static struct hp_origin *find_origin(const struct recorder *recorder, uint32_t site, uint32_t call)
{
	uint32_t id = recorder->origin_buckets ? recorder->origin_buckets[hash(site, call)] : 0;

	while (id) {
		struct hp_origin *origin = page_of(id)[id % ORIGIN_PAGE];
		if (origin->site == site && origin->call == call)
			return origin;
		id = origin->chain;
	}
	return NULL;
}

/* A new origin; NULL when there is no room. */
static struct hp_origin *add_origin(struct recorder *recorder, uint32_t site, uint32_t call)
{
	struct hp_header *header = hotpath__header();
	uint32_t id = header->origin_count + 1;

	if (!recorder->origin_buckets)
		recorder->origin_buckets = hotpath__private(BUCKETS * sizeof(uint32_t));
	struct hp_origin **page = id <= HP_ORIGINS_MAX ? page_of(id) : NULL;
	uint64_t at = page && recorder->origin_buckets
			      ? hotpath__segment_take(sizeof(struct hp_origin))
			      : 0;
	if (!at)
		return NULL;
	struct hp_origin *origin = (struct hp_origin *)(void *)(recorder->base + at);
	uint32_t *bucket = &recorder->origin_buckets[hash(site, call)];
	*origin = (struct hp_origin){
		.next = header->origins, .id = id, .site = site, .call = call, .chain = *bucket
	};
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

/* Double the hash table when it is half full; false when it is full and cannot grow. */
static bool room_for_call(struct memory *memory)
{
	const struct call_site *old = memory->calls;
	uint32_t count = memory->calls_mask + 1;

	if (memory->calls_used < count / 2)
		return true;
	struct call_site *calls = hotpath__private((size_t)count * 2 * sizeof(*calls));
	if (!calls)
		return memory->calls_used < count - 1;
	memory->calls = calls;
	memory->calls_mask = count * 2 - 1;
	for (uint32_t i = 0; i < count; i++)
		if (old[i].held)
			*hotpath__find_call(memory, old[i].from, old[i].site) = old[i];
	return true;
}

/* The number of an origin, which is registered when it is new; 0 when there is no room. The lock is held. */
static uint32_t number(uintptr_t from, uint32_t site)
{
	struct recorder *recorder = hotpath__recorder;
	uint32_t call = hotpath__call_site(from);
	struct hp_origin *origin = find_origin(recorder, site, call);

	if (!origin)
		origin = add_origin(recorder, site, call);
	if (!origin)
		hotpath__count(HP_COUNTER_origins);
	return origin ? origin->id : 0;
}

/* The lock also blocks signals, so that no handler can leave by siglongjmp while the table is changed. */
struct held *hotpath__learn_call(struct thread *me, uintptr_t from, uint64_t site)
{
	struct memory *memory = me->memory;
	struct guard guard;

	hotpath__lock(&guard);
	struct held *held = hotpath__make_held(me, number(from, (uint32_t)site));
	/* Not while code is being unloaded: other code may get the address. */
	if (held && !hotpath__recorder->unloading && room_for_call(memory)) {
		*hotpath__find_call(memory, from, site) = (struct call_site){ from, site, held };
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
	memset(memory->calls, 0, ((size_t)memory->calls_mask + 1) * sizeof(*memory->calls));
	memory->calls_used = 0;
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
