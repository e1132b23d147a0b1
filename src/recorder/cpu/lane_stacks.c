/* SPDX-License-Identifier: MIT */
/*
 * The stacks of a lane: each distinct one is stored once, with its number of samples. There are two lists, one for the CPU
 * and one for waits.
 *
 * The list for the CPU is used only by the signal handler, which cannot interrupt itself; that for waits only while the
 * thread is marked busy. Each has chunks of its own: the signal may come while the thread allocates from the lane's, or
 * adds the stack of a wait.
 */
#include "sampler.h"

#include "process/platform.h"
#include "process/recorder_state.h"
#include "process/room.h"
#include "process/segment_file.h"
#include "sampling.h"

#include <assert.h>
#include <string.h>

enum {
	BUCKETS = 8192,
	/* Bytes that a list takes of the segment at once; and the first time, since there are many threads that hardly
	   compute or wait. */
	CHUNK = 64 * 1024,
	WAIT_CHUNK = 8 * 1024,
	FIRST_CHUNK = 8 * 1024,
	/* Bytes of the largest stack. */
	STACK_MAX = (sizeof(struct hp_stack) + HP_STACK_DEPTH_MAX * sizeof(uint64_t) + 63) & ~63U,
	/* The limit for all lanes together, in bytes. */
	BYTES_MAX = 64 * 1024 * 1024,
};

static_assert((int)STACK_MAX <= (int)FIRST_CHUNK, "each stack fits into the first chunk");

struct stacks {
	/* The first stack of each bucket, as an offset in units of 64 bytes. */
	uint32_t buckets[BUCKETS];
	uint64_t room;
	uint64_t room_left;
};

/* One of the two lists: its hash table, and where the lane has its newest stack and their number. */
struct list {
	struct stacks **table;
	uint64_t *newest;
	uint32_t *count;
	uint64_t chunk;
};

/* This waits for the lock, once for each lane: the threads of a pool begin at the same time, and all need a table. */
static bool make_table(const struct list *list)
{
	struct guard guard;

	hotpath__lock(&guard);
	*list->table = hotpath__private(sizeof(**list->table));
	hotpath__unlock(&guard);
	return *list->table;
}

/* The first time, this waits for the lock as well. */
static bool lock_for_room(const struct list *list, struct guard *guard)
{
	if ((*list->table)->room)
		return hotpath__try_lock(guard);
	hotpath__lock(guard);
	return true;
}

static bool make_room(const struct list *list)
{
	struct sampling *all = &hotpath__recorder->sampling;
	uint64_t chunk = 0, size = (*list->table)->room ? list->chunk : FIRST_CHUNK;
	struct guard guard;

	if (!lock_for_room(list, &guard))
		return false;
	if (all->stack_bytes < BYTES_MAX)
		chunk = hotpath__segment_take(size);
	all->stack_bytes += chunk ? size : 0;
	hotpath__unlock(&guard);
	if (!chunk)
		return false;
	(*list->table)->room = chunk;
	(*list->table)->room_left = size;
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

static struct hp_stack *new_stack(const struct thread *me, const struct list *list,
				  const struct walked *walked, uint32_t hash)
{
	struct stacks *stacks = *list->table;
	uint64_t frames = walked->depth * sizeof(*walked->frames);
	uint64_t size = (sizeof(struct hp_stack) + frames + 63) & ~UINT64_C(63);

	if (*list->count >= HP_STACKS_MAX || (stacks->room_left < size && !make_room(list)))
		return NULL;
	uint64_t at = stacks->room;
	struct hp_stack *stack = stack_at(me, (uint32_t)(at / 64));
	stacks->room += size;
	stacks->room_left -= size;
	stack->hash = hash;
	stack->depth = walked->depth;
	stack->end = walked->end;
	memcpy(stack->frames, walked->frames, frames);
	stack->next = *list->newest;
	stack->chain = stacks->buckets[hash % BUCKETS];
	/* Pairs with the reader's ACQUIRE. Before the table has it: a signal handler of the program may leave by
	   siglongjmp at any point, and a stack that is in the table alone would not be seen. */
	store(list->newest, at, RELEASE);
	store(list->count, *list->count + 1, RELAXED);
	store(&stacks->buckets[hash % BUCKETS], (uint32_t)(at / 64), RELAXED);
	return stack;
}

static bool count_stack(const struct thread *me, const struct list *list,
			const struct walked *walked, uint64_t samples)
{
	uint32_t hash = hash_of(walked);

	if (!*list->table && !make_table(list))
		return false;
	uint32_t place = (*list->table)->buckets[hash % BUCKETS];
	while (place &&
	       (stack_at(me, place)->hash != hash || !is_same(stack_at(me, place), walked)))
		place = stack_at(me, place)->chain;
	struct hp_stack *stack = place ? stack_at(me, place) : new_stack(me, list, walked, hash);
	if (!stack)
		return false;
	add(&stack->samples, samples);
	return true;
}

bool hotpath__count_stack(struct thread *me, const struct walked *walked, uint64_t samples)
{
	struct list list = { &me->stacks, &me->lane->stacks, &me->lane->stack_count, CHUNK };

	return count_stack(me, &list, walked, samples);
}

static struct list waits_of(struct thread *me)
{
	struct hp_wait_profile *waited = &me->lane->waited;

	return (struct list){ &me->wait_stacks, &waited->stacks, &waited->stack_count, WAIT_CHUNK };
}

bool hotpath__count_wait_stack(struct thread *me, const struct walked *walked, uint64_t samples)
{
	struct list list = waits_of(me);

	return count_stack(me, &list, walked, samples);
}

void hotpath__ready_wait_stacks(struct thread *me)
{
	struct list list = waits_of(me);

	if ((*list.table || make_table(&list)) && (*list.table)->room_left < STACK_MAX)
		make_room(&list);
}

bool hotpath__has_wait_room(const struct thread *me)
{
	return me->wait_stacks && me->wait_stacks->room_left >= STACK_MAX;
}

static void zero_stacks(const struct thread *me, uint64_t at)
{
	while (at) {
		struct hp_stack *stack = (struct hp_stack *)(void *)(me->base + at);
		store(&stack->samples, 0, RELAXED);
		at = stack->next;
	}
}

void hotpath__zero_samples(struct thread *me)
{
	struct hp_lane *lane = me->lane;

	store(&lane->samples, 0, RELAXED);
	store(&lane->outside_samples, 0, RELAXED);
	store(&lane->looks, 0, RELAXED);
	store(&lane->look_ticks, 0, RELAXED);
	store(&lane->own_samples, 0, RELAXED);
	store(&lane->outside_system_samples, 0, RELAXED);
	store(&lane->outside_alloc_samples, 0, RELAXED);
	store(&lane->waited.samples, 0, RELAXED);
	zero_stacks(me, lane->stacks);
	zero_stacks(me, lane->waited.stacks);
}
