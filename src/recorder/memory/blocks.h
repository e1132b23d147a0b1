/* SPDX-License-Identifier: MIT */
/*
 * The table of allocated blocks, by address: the size and the origin of each. It is a radix tree of three levels.
 *
 *	address   │ root: 12 bits │ middle: 13 │ leaf: 17 │ cell: 6 │
 *	            root ─► middle ─► leaf ─► cell: a block that begins in it
 *
 * Every 64 bytes of the heap have a cell of 32 bits, which takes 6 % of the heap. Two threads never have the same
 * block, so a cell in use is only touched by the thread that frees its block, and an empty one belongs to the first
 * thread that fills it. There are no locks, no waits, and cells never move.
 *
 * A second block in the same cell, and a large block, is in a list instead:
 *
 *	address   │ root: 12 bits │ middle: 13 │ leaf │ region │ step │
 *	            root ─► middle ─► leaf ─► slot ─► region: the blocks that begin in it
 *
 * A region is a list of the blocks that begin in 2 KB of addresses. Blocks of the program's own pools are always in
 * such lists, of 256 bytes of addresses each. A slot holds the address of its region, and its lowest bit is a lock,
 * which is held for some nanoseconds. A thread that cannot get the lock, because its owner does not run, gives up
 * after a second: the block is lost then, and counted as such.
 *
 * All of it is zero in a forked child. The code for cells is inline here; that for lists is in blocks.c.
 */
#ifndef HOTPATH_BLOCKS_H
#define HOTPATH_BLOCKS_H

#include "atomic.h"
#include "heap_state.h"
#include "process/recorder_state.h"
#include "processor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOT __attribute__((always_inline)) static inline

enum {
	/* A leaf's number is split into an index into the root and one into the middle level: the bits of each. */
	ROOT_BITS = 12,
	MIDDLE_BITS = 13,
	/* Bits of an address: inside a cell, and for the cell's index in its leaf. And the alignment of blocks
	   inside a cell. */
	CELL_BITS = 6,
	CELL_LEAF_BITS = 17,
	CELL_STEP = 8,
	/* The bits of a cell, from the highest: origin, size plus one, position of the block in the cell in units
	   of CELL_STEP. */
	CELL_ORIGIN_SHIFT = 16,
	CELL_SIZE_SHIFT = 3,
	CELL_SIZE_MAX = (1 << (CELL_ORIGIN_SHIFT - CELL_SIZE_SHIFT)) - 2,
};

/*
 * The leaf with a number; NULL when there is none yet. All loads pair with the RELEASE of the thread that made the
 * leaf. They are CONSUME, because an ACQUIRE would have to wait for this thread's own recent stores.
 */
HOT void *hotpath__find_leaf(void ***root, uintptr_t leaf)
{
	if (unlikely(!root || leaf >> (ROOT_BITS + MIDDLE_BITS)))
		return NULL;
	void **middle = load(&root[leaf >> MIDDLE_BITS], CONSUME);
	return likely(middle) ? load(&middle[leaf & ((1U << MIDDLE_BITS) - 1)], CONSUME) : NULL;
}

#pragma GCC visibility push(hidden)

/* Create the leaf with the cell of an address; false when there is no memory, or the address is out of range. */
bool hotpath__make_cells(uintptr_t address);
/* Store and remove blocks that do not fit into a cell. */
struct block hotpath__put_far(struct thread *me, enum hotpath_heap heap, uintptr_t address,
			      struct block block);
struct block hotpath__take_far(struct thread *me, enum hotpath_heap heap, uintptr_t address);

#pragma GCC visibility pop

/* The cell of an address; NULL when its leaf does not exist yet. */
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

/* Fill an empty cell; false when another block is in it. RELAXED is enough: of two threads that try one succeeds,
   and the cell publishes no other data. */
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

/* Store an allocated block; returns what the table had at its address, which is BLOCK_NONE unless a free was
   missed. */
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

/* Remove a block that is about to be freed; returns what was known of it. */
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
