/* SPDX-License-Identifier: MIT */
/*
 * Young blocks: those whose calls have not returned. One that is freed before its call returns was temporary.
 *
 * They are in a hash table by address, each within a few slots of where its hash points. Blocks of calls that have
 * returned stay in the table until others need their slots. If there is no free slot near, the table grows; at its
 * largest size, another block is overwritten, which is not counted as temporary then.
 */
#include "heap.h"

#include "process/platform.h"
#include "process/room.h"

enum {
	YOUNG_MAX = 65536,
};

static struct young *place_of(const struct memory *memory, uintptr_t block)
{
	uint64_t mixed = (uint64_t)block * UINT64_C(0x9e3779b97f4a7c15);

	return &memory->young[(uint32_t)(mixed >> 40) & memory->young_mask];
}

/* The table has YOUNG_PLACES slots more than its mask says, so that a search at its end need not wrap around. */
static size_t young_size(uint32_t mask)
{
	return ((size_t)mask + 1 + YOUNG_PLACES) * sizeof(struct young);
}

static bool is_open(const struct thread *me, const struct young *young)
{
	const struct frame *frame = me->frames + young->frame;

	return young->block && frame <= me->top && frame->key & KEY_TALLIED &&
	       (uint32_t)me->tallies[young->frame].serial == young->serial;
}

static struct young *find_place(const struct thread *me, uintptr_t block)
{
	struct young *young = place_of(me->memory, block);

	for (unsigned i = 0; i < YOUNG_PLACES; i++)
		if (young[i].block == block || !is_open(me, &young[i]))
			return &young[i];
	return NULL;
}

/* Double the table, and keep the blocks whose calls are open; false when it cannot grow. */
static bool grow(struct thread *me)
{
	struct memory *memory = me->memory;
	const struct young *old = memory->young;
	uint32_t mask = memory->young_mask;
	struct guard guard;
	if (mask + 1 >= YOUNG_MAX)
		return false;

	hotpath__lock(&guard);
	struct young *young = hotpath__private(young_size(mask * 2 + 1));
	if (young) {
		memory->young = young;
		memory->young_mask = mask * 2 + 1;
	}
	for (uint32_t i = 0; young && i < mask + 1 + YOUNG_PLACES; i++) {
		struct young *place = is_open(me, &old[i]) ? find_place(me, old[i].block) : NULL;
		if (place)
			*place = old[i];
	}
	hotpath__unlock(&guard);
	return young != NULL;
}

void hotpath__young_put(struct thread *me, uintptr_t block, const struct tally *tally)
{
	struct young *place = find_place(me, block);

	while (!place && grow(me))
		place = find_place(me, block);
	if (!place)
		place = place_of(me->memory, block);
	me->memory->has_young = true;
	*place = (struct young){ block, tally->alloc, (uint32_t)(tally - me->tallies),
				 (uint32_t)tally->serial };
}

struct hp_alloc *hotpath__young_take(struct thread *me, uintptr_t block)
{
	struct young *young = place_of(me->memory, block);

	for (unsigned i = 0; i < YOUNG_PLACES; i++) {
		if (young[i].block != block)
			continue;
		bool open = is_open(me, &young[i]);
		young[i].block = 0;
		return open ? young[i].alloc : NULL;
	}
	return NULL;
}
