/* SPDX-License-Identifier: MIT */
/*
 * Every allocated block: how large it is, and of which origin.
 *
 *	address   │ root: 11 bits │ middle: 11 │ leaf: 20 │ cell: 6 │
 *	            root ─► middle ─► leaf ─► cell: a block that begins in it
 *
 * There is a cell of 32 bits for every 64 bytes of addresses that blocks are in, which is 6 % of the heap. Two
 * threads never have the same block, so of a cell that is used only the one that frees its block does anything
 * with it; one that is empty is for the first that takes it. Nobody waits, and nothing ever moves.
 *
 * A second block in the same cell, and one that is large, is in a list:
 *
 *	address   │ root: 11 bits │ middle: 11 │ leaf │ region │ step │
 *	            root ─► middle ─► leaf ─► slot ─► region: the blocks that begin in it
 *
 * A region is a list of the blocks that begin in 2 KB of addresses; so are those that the program hands out
 * itself. Its slot is its address, and its lock: held for some nanoseconds. A thread that cannot have it,
 * because the one that has it does not run, gives up before long: blocks may be lost then, and are counted.
 *
 * All of it is zero in a forked child. What is here is done at each allocation; what is rare is in blocks.c.
 */
#ifndef HOTPATH_BLOCKS_H
#define HOTPATH_BLOCKS_H

#include "recorder.h"

#define HOT __attribute__((always_inline)) static inline

enum {
	/* Of the number of a leaf: bits for the root, and for what is between them. */
	ROOT_BITS = 11,
	MIDDLE_BITS = 11,
	/* Of an address: bits inside a cell, and inside a leaf of cells; steps between blocks in a cell. */
	CELL_BITS = 6,
	CELL_LEAF_BITS = 20,
	CELL_STEP = 8,
	/* A cell has, from the top: the origin, the size plus one, the step in the cell at which it begins. */
	CELL_ORIGIN_SHIFT = 16,
	CELL_SIZE_SHIFT = 3,
	CELL_SIZE_MAX = (1 << (CELL_ORIGIN_SHIFT - CELL_SIZE_SHIFT)) - 2,
	/* The size of a block that does not fit; then it is in the region: only the last can be so large. */
	SIZE_LARGE = UINT16_MAX,
};

#define SLOT_LOCKED UINT64_C(1)

/* Followed by room entries of 32 bits: origin and, in the low half, size. */
struct region {
	uint16_t count;
	uint16_t room;
	/* Blocks of another session are none. */
	uint16_t session;
	uint16_t reserved;
	uint64_t large;
	/* Where in the region each block begins, in steps. */
	uint8_t at[];
};

/* How an address is read: bits inside a step between blocks, inside a region, inside a leaf. */
struct bits {
	unsigned step;
	unsigned region;
	unsigned leaf;
};

/* Blocks of malloc are 8 bytes apart at least; what a program hands out may be anywhere. */
HOT struct bits hotpath__bits(enum hotpath_heap heap)
{
	return heap == HEAP_MALLOC ? (struct bits){ 3, 11, 15 } : (struct bits){ 0, 8, 18 };
}

#pragma GCC visibility push(hidden)

/* Make the leaf of an address; false when there is no memory, or no address is like that. */
bool hotpath__make_cells(uintptr_t address);
bool hotpath__make_leaf(enum hotpath_heap heap, uintptr_t address);
/* Wait for a slot that is locked. A signal handler that interrupted the recorder does not. */
bool hotpath__wait_for_slot(const struct thread *me, uint64_t *slot);
/* A region with room for one more block, in place of the one in the slot; NULL when there is none. */
struct region *hotpath__more_room(struct thread *me, uint64_t *slot);
/* The place of the block that begins so many steps into a region; count when there is none. */
unsigned hotpath__search_region(const struct region *region, uint8_t at);

#pragma GCC visibility pop

HOT uint32_t *hotpath__entries(struct region *region)
{
	return (uint32_t *)(void *)(region->at + region->room);
}

/*
 * The leaf with a number; NULL when it is yet to be made. All loads pair with the RELEASE of who made it. An
 * ACQUIRE would wait for what this thread has just stored.
 */
HOT void *hotpath__find_leaf(void ***root, uintptr_t leaf)
{
	if (unlikely(!root || leaf >> (ROOT_BITS + MIDDLE_BITS)))
		return NULL;
	void **middle = load(&root[leaf >> MIDDLE_BITS], CONSUME);
	return likely(middle) ? load(&middle[leaf & ((1U << MIDDLE_BITS) - 1)], CONSUME) : NULL;
}

/* The slot of the region that an address lies in; NULL when it is yet to be made. */
HOT uint64_t *hotpath__find_slot(enum hotpath_heap heap, uintptr_t address)
{
	struct bits bits = hotpath__bits(heap);
	uintptr_t region = address >> bits.region;
	uint64_t *slots = hotpath__find_leaf(load(&hotpath__recorder->blocks[heap], CONSUME),
					     region >> bits.leaf);

	return likely(slots) ? &slots[region & (((uintptr_t)1 << bits.leaf) - 1)] : NULL;
}

/* ACQUIRE pairs with the RELEASE of unlocking. A thread that is alone need not be so careful. */
HOT bool hotpath__try_slot(uint64_t *slot, bool alone)
{
	if (alone) {
		uint64_t before = load(slot, RELAXED);
		store(slot, before | SLOT_LOCKED, RELAXED);
		return !(before & SLOT_LOCKED);
	}
	return !(__atomic_fetch_or(slot, SLOT_LOCKED, __ATOMIC_ACQUIRE) & SLOT_LOCKED);
}

/* When a signal handler leaves by siglongjmp, the thread finds in its memory what it had locked. */
HOT bool hotpath__lock_slot(struct thread *me, uint64_t *slot, bool alone)
{
	if (unlikely(!hotpath__try_slot(slot, alone)) && !hotpath__wait_for_slot(me, slot))
		return false;
	store(&me->memory->locked, slot, RELAXED);
	signal_fence();
	return true;
}

HOT void hotpath__unlock_slot(struct thread *me, uint64_t *slot, const struct region *region,
			      bool alone)
{
	store(&me->memory->locked, NULL, RELAXED);
	signal_fence();
	if (alone)
		store(slot, (uint64_t)(uintptr_t)region, RELAXED);
	else
		store(slot, (uint64_t)(uintptr_t)region, RELEASE);
}

HOT struct region *hotpath__region(const uint64_t *slot)
{
	return (struct region *)(uintptr_t)(load(slot, RELAXED) & ~SLOT_LOCKED);
}

HOT struct block hotpath__read_block(struct region *region, unsigned place)
{
	uint32_t entry = hotpath__entries(region)[place];
	uint64_t size = entry & SIZE_LARGE;

	return (struct block){ unlikely(size == SIZE_LARGE) ? region->large : size, entry >> 16 };
}

HOT void hotpath__write_block(struct region *region, unsigned place, uint8_t at, struct block block)
{
	bool large = unlikely(block.size >= SIZE_LARGE);
	uint32_t size = large ? (uint32_t)SIZE_LARGE : (uint32_t)block.size;

	region->at[place] = at;
	hotpath__entries(region)[place] = (uint32_t)block.origin << 16 | size;
	if (large)
		region->large = block.size;
}

HOT uint8_t hotpath__step(enum hotpath_heap heap, uintptr_t address)
{
	struct bits bits = hotpath__bits(heap);

	return (uint8_t)((address & (((uintptr_t)1 << bits.region) - 1)) >> bits.step);
}

HOT void hotpath__begin_region(struct region *region, uint16_t session)
{
	if (likely(region->session == session))
		return;
	region->count = 0;
	region->session = session;
}

/* Put a block in, and say what was known in its place; the slot is locked. */
HOT struct block hotpath__put_locked(struct thread *me, uint64_t *slot, uint8_t at,
				     struct block block)
{
	struct region *region = hotpath__region(slot);

	if (likely(region)) {
		hotpath__begin_region(region, (uint16_t)me->session);
		unsigned place = region->count ? hotpath__search_region(region, at) : 0;
		if (unlikely(place < region->count)) {
			struct block before = hotpath__read_block(region, place);
			hotpath__write_block(region, place, at, block);
			return before;
		}
	}
	if (unlikely(!region || region->count == region->room))
		region = hotpath__more_room(me, slot);
	if (unlikely(!region))
		return (struct block){ 0, BLOCK_LOST };
	hotpath__write_block(region, region->count, at, block);
	signal_fence();
	region->count++;
	return (struct block){ 0, BLOCK_NONE };
}

/* In the list of its region. */
HOT struct block hotpath__put_listed(struct thread *me, enum hotpath_heap heap, uintptr_t address,
				     struct block block, bool alone)
{
	uint64_t *slot = hotpath__find_slot(heap, address);

	if (unlikely(!slot) && hotpath__make_leaf(heap, address))
		slot = hotpath__find_slot(heap, address);
	if (unlikely(!slot || !hotpath__lock_slot(me, slot, alone)))
		return (struct block){ 0, BLOCK_LOST };
	struct block before = hotpath__put_locked(me, slot, hotpath__step(heap, address), block);
	hotpath__unlock_slot(me, slot, hotpath__region(slot), alone);
	return before;
}

/* In an order in which a handler may leave at any point: nothing points to what is not there. */
HOT void hotpath__remove_block(struct region *region, unsigned place)
{
	unsigned last = region->count - 1U;

	if (place < last) {
		region->at[place] = region->at[last];
		hotpath__entries(region)[place] = hotpath__entries(region)[last];
		signal_fence();
	}
	region->count = (uint16_t)last;
}

/* What came last often goes first. */
HOT unsigned hotpath__find_in_region(const struct region *region, uint8_t at)
{
	unsigned count = region->count;

	return likely(count && region->at[count - 1] == at) ? count - 1
							    : hotpath__search_region(region, at);
}

HOT struct block hotpath__take_locked(struct thread *me, struct region *region, uint8_t at)
{
	if (unlikely(!region))
		return (struct block){ 0, BLOCK_NONE };
	hotpath__begin_region(region, (uint16_t)me->session);
	unsigned place = hotpath__find_in_region(region, at);
	if (unlikely(place == region->count))
		return (struct block){ 0, BLOCK_NONE };
	struct block block = hotpath__read_block(region, place);
	hotpath__remove_block(region, place);
	return block;
}

HOT struct block hotpath__take_listed(struct thread *me, enum hotpath_heap heap, uintptr_t address,
				      bool alone)
{
	uint64_t *slot = hotpath__find_slot(heap, address);

	/* RELAXED: whoever frees a block knows of it from whoever allocated it. */
	if (unlikely(!slot || !load(slot, RELAXED)))
		return (struct block){ 0, BLOCK_NONE };
	if (unlikely(!hotpath__lock_slot(me, slot, alone)))
		return (struct block){ 0, BLOCK_LOST };
	struct region *region = hotpath__region(slot);
	struct block block = hotpath__take_locked(me, region, hotpath__step(heap, address));
	hotpath__unlock_slot(me, slot, region, alone);
	return block;
}

#pragma GCC visibility push(hidden)

/* Both for blocks that are in no cell. */
struct block hotpath__put_far(struct thread *me, enum hotpath_heap heap, uintptr_t address,
			      struct block block);
struct block hotpath__take_far(struct thread *me, enum hotpath_heap heap, uintptr_t address);

#pragma GCC visibility pop

/* The cell of an address; NULL when it is yet to be made. */
HOT uint32_t *hotpath__find_cell(uintptr_t address)
{
	uintptr_t cell = address >> CELL_BITS;
	uint32_t *cells = hotpath__find_leaf(load(&hotpath__recorder->cells, CONSUME),
					     cell >> CELL_LEAF_BITS);

	return likely(cells) ? &cells[cell & ((1U << CELL_LEAF_BITS) - 1)] : NULL;
}

HOT uint32_t hotpath__cell_step(uintptr_t address)
{
	return address % (1U << CELL_BITS) / CELL_STEP;
}

HOT struct block hotpath__read_cell(uint32_t cell)
{
	uint32_t size = cell << (32 - CELL_ORIGIN_SHIFT) >>
			(32 - CELL_ORIGIN_SHIFT + CELL_SIZE_SHIFT);

	return (struct block){ size - 1, cell >> CELL_ORIGIN_SHIFT };
}

/* Take an empty cell. RELAXED: of two that try one gets it, and it tells of nothing else. */
HOT bool hotpath__take_cell(uint32_t *cell, uint32_t value, bool alone)
{
	uint32_t empty = 0;

	if (unlikely(load(cell, RELAXED)))
		return false;
	if (!alone)
		return __atomic_compare_exchange_n(cell, &empty, value, false, __ATOMIC_RELAXED,
						   __ATOMIC_RELAXED);
	store(cell, value, RELAXED);
	return true;
}

/* A block was allocated; what was known at its address is returned. */
HOT struct block hotpath__put_block(struct thread *me, enum hotpath_heap heap, uintptr_t address,
				    struct block block, bool alone)
{
	bool fits = heap == HEAP_MALLOC && likely(block.size <= CELL_SIZE_MAX);
	uint32_t *cell = fits ? hotpath__find_cell(address) : NULL;
	uint32_t value = (uint32_t)block.origin << CELL_ORIGIN_SHIFT |
			 (uint32_t)(block.size + 1) << CELL_SIZE_SHIFT |
			 hotpath__cell_step(address);

	if (unlikely(fits && !cell) && hotpath__make_cells(address))
		cell = hotpath__find_cell(address);
	if (likely(cell) && likely(hotpath__take_cell(cell, value, alone)))
		return (struct block){ 0, BLOCK_NONE };
	return hotpath__put_far(me, heap, address, block);
}

/* A block is about to be freed. */
HOT struct block hotpath__take_block(struct thread *me, enum hotpath_heap heap, uintptr_t address)
{
	uint32_t *cell = heap == HEAP_MALLOC ? hotpath__find_cell(address) : NULL;
	uint32_t value = likely(cell) ? load(cell, RELAXED) : 0;

	if (unlikely(!value || value % CELL_STEP != hotpath__cell_step(address)))
		return hotpath__take_far(me, heap, address);
	store(cell, 0, RELAXED);
	return hotpath__read_cell(value);
}

#endif
