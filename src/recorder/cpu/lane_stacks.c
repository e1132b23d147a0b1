/* SPDX-License-Identifier: MIT */
/*
 * The stacks of a lane: each distinct one is stored once, with its number of samples.
 *
 * Called only by the signal handler, which cannot interrupt itself. It has chunks of its own, since the interrupted
 * code may just be allocating from the lane's.
 */
#include "sampler.h"

#include "process/platform.h"
#include "process/recorder_state.h"
#include "process/room.h"
#include "process/segment_file.h"
#include "sampling.h"

#include <string.h>

enum {
	BUCKETS = 8192,
	CHUNK = 64 * 1024,
	/* The limit for all lanes together, in bytes. */
	BYTES_MAX = 64 * 1024 * 1024,
};

struct stacks {
	/* The first stack of each bucket, as an offset in units of 64 bytes. */
	uint32_t buckets[BUCKETS];
	uint64_t room;
	uint64_t room_left;
};

static bool make_table(struct thread *me)
{
	struct guard guard;

	if (!hotpath__try_lock(&guard))
		return false;
	me->stacks = hotpath__private(sizeof(*me->stacks));
	hotpath__unlock(&guard);
	return me->stacks;
}

static bool make_room(struct stacks *stacks)
{
	struct sampling *all = &hotpath__recorder->sampling;
	uint64_t chunk = 0;
	struct guard guard;

	if (!hotpath__try_lock(&guard))
		return false;
	if (all->stack_bytes < BYTES_MAX)
		chunk = hotpath__segment_take(CHUNK);
	all->stack_bytes += chunk ? CHUNK : 0;
	hotpath__unlock(&guard);
	if (!chunk)
		return false;
	stacks->room = chunk;
	stacks->room_left = CHUNK;
	return true;
}

static uint32_t hash_of(const struct walked *walked)
{
	uint64_t hash = walked->depth + walked->end;

	for (unsigned i = 0; i < walked->depth; i++)
		hash = (hash ^ walked->frames[i]) * UINT64_C(0x9e3779b97f4a7c15) ^ hash >> 29;
	return (uint32_t)(hash >> 32);
}

static struct hp_stack *stack_at(const struct thread *me, uint32_t place)
{
	return (struct hp_stack *)(void *)(me->base + (uint64_t)place * 64);
}

static bool is_same(const struct hp_stack *stack, const struct walked *walked)
{
	return stack->depth == walked->depth && stack->end == walked->end &&
	       memcmp(stack->frames, walked->frames, walked->depth * sizeof(*walked->frames)) == 0;
}

static struct hp_stack *new_stack(struct thread *me, const struct walked *walked, uint32_t hash)
{
	struct stacks *stacks = me->stacks;
	uint64_t frames = walked->depth * sizeof(*walked->frames);
	uint64_t size = (sizeof(struct hp_stack) + frames + 63) & ~UINT64_C(63);

	if (me->lane->stack_count >= HP_STACKS_MAX ||
	    (stacks->room_left < size && !make_room(stacks)))
		return NULL;
	uint64_t at = stacks->room;
	struct hp_stack *stack = stack_at(me, (uint32_t)(at / 64));
	stacks->room += size;
	stacks->room_left -= size;
	stack->hash = hash;
	stack->depth = walked->depth;
	stack->end = walked->end;
	memcpy(stack->frames, walked->frames, frames);
	stack->next = me->lane->stacks;
	stack->chain = stacks->buckets[hash % BUCKETS];
	stacks->buckets[hash % BUCKETS] = (uint32_t)(at / 64);
	/* Pairs with the reader's ACQUIRE. */
	store(&me->lane->stacks, at, RELEASE);
	store(&me->lane->stack_count, me->lane->stack_count + 1, RELAXED);
	return stack;
}

bool hotpath__count_stack(struct thread *me, const struct walked *walked, uint64_t samples)
{
	uint32_t hash = hash_of(walked);

	if (!me->stacks && !make_table(me))
		return false;
	uint32_t place = me->stacks->buckets[hash % BUCKETS];
	while (place &&
	       (stack_at(me, place)->hash != hash || !is_same(stack_at(me, place), walked)))
		place = stack_at(me, place)->chain;
	struct hp_stack *stack = place ? stack_at(me, place) : new_stack(me, walked, hash);
	if (!stack)
		return false;
	add(&stack->samples, samples);
	return true;
}

void hotpath__zero_samples(struct thread *me)
{
	struct hp_lane *lane = me->lane;

	store(&lane->samples, 0, RELAXED);
	store(&lane->outside_samples, 0, RELAXED);
	store(&lane->looks, 0, RELAXED);
	store(&lane->own_samples, 0, RELAXED);
	store(&lane->outside_system_samples, 0, RELAXED);
	store(&lane->outside_alloc_samples, 0, RELAXED);
	for (uint64_t at = lane->stacks; at;) {
		struct hp_stack *stack = (struct hp_stack *)(void *)(me->base + at);
		store(&stack->samples, 0, RELAXED);
		at = stack->next;
	}
}
