/* SPDX-License-Identifier: MIT */
/*
 * Every allocated block: how large it is, and of which origin.
 *
 *	address   │ root: 12 bits │ middle: 13 │ leaf: 17 │ cell: 6 │
 *	            root ─► middle ─► leaf ─► cell: a block that begins in it
 *
 * There is a cell of 32 bits for every 64 bytes of addresses that blocks are in, which is 6 % of the heap. Two
 * threads never have the same block, so of a cell that is used only the one that frees its block does anything
 * with it; one that is empty is for the first that takes it. Nobody waits, and nothing ever moves.
 *
 * A second block in the same cell, and one that is large, is in a list:
 *
 *	address   │ root: 12 bits │ middle: 13 │ leaf │ region │ step │
 *	            root ─► middle ─► leaf ─► slot ─► region: the blocks that begin in it
 *
 * A region is a list of the blocks that begin in 2 KB of addresses; so are those that the program hands out
 * itself. Its slot is its address, and its lock: held for some nanoseconds. A thread that cannot have it,
 * because the one that has it does not run, gives up before long: blocks may be lost then, and are counted.
 *
 * All of it is zero in a forked child. Cells are here; lists, and what is rare, are in blocks.c.
 */
#ifndef HOTPATH_BLOCKS_H
#define HOTPATH_BLOCKS_H

#include "recorder.h"

#define HOT __attribute__((always_inline)) static inline

enum {
	/* Of the number of a leaf: bits for the root, and for what is between them. */
	ROOT_BITS = 12,
	MIDDLE_BITS = 13,
	/* Of an address: bits inside a cell, and inside a leaf of cells; steps between blocks in a cell. */
	CELL_BITS = 6,
	CELL_LEAF_BITS = 17,
	CELL_STEP = 8,
	/* A cell has, from the top: the origin, the size plus one, the step in the cell at which it begins. */
	CELL_ORIGIN_SHIFT = 16,
	CELL_SIZE_SHIFT = 3,
	CELL_SIZE_MAX = (1 << (CELL_ORIGIN_SHIFT - CELL_SIZE_SHIFT)) - 2,
};

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

#pragma GCC visibility push(hidden)

/* Make the leaf of the cell of an address; false when there is no memory, or no address is like that. */
bool hotpath__make_cells(uintptr_t address);
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
