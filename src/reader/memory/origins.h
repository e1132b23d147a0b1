/* SPDX-License-Identifier: MIT */
/* Where blocks were allocated, over all lanes. */
#ifndef HP_ORIGINS_H
#define HP_ORIGINS_H

#include "cpu/stacks.h"
#include "names/names.h"

/** Allocations with one stack of callers, and how much of that was freed, by any thread. */
struct hp_place_sum {
	/** NULL for the sum of all call sites without an hp_origin of their own. */
	const struct hp_origin *origin;
	/** The frame of its stack that it is shown for, as named; NULL if it is not known. */
	const struct hp_name *shown;
	/** Which of the functions of that frame: 0 unless wrappers were inlined in it. */
	uint32_t level;
	/** The blocks are the C library's own. */
	bool of_libc;
	/** The number of its stack in struct hp_stacks; HP_STACKS_NONE if it has none. */
	uint32_t stack;
	uint64_t bytes;
	uint64_t blocks;
	uint64_t freed_bytes;
	uint64_t freed_blocks;
	uint64_t temporary_blocks;
};

struct hp_origins {
	/** Indexed by origin id; item 0 is for call sites without an origin. */
	struct hp_place_sum *items;
	size_t count;
};

/**
 * Add up what all lanes hold.
 *
 * @return
 *         False when memory ran out. Either way, items are to be freed.
 */
bool hp_origins_read(struct hp_origins *origins, const struct hp_snapshot *snapshot);

/**
 * Make the stacks of allocations in the model, and choose the frame that each origin is shown for.
 *
 * @param stacks
 *         Zero-initialised; to be freed when the rows were made, since it has the names that are shown.
 * @return
 *         False when memory ran out.
 */
bool hp_origins_stacks(struct hp_origins *origins, const struct hp_build *build,
		       struct hp_stacks *stacks);

/**
 * Show each origin for its call of malloc, of which the names are known without stacks.
 */
void hp_origins_calls(struct hp_origins *origins, const struct hp_names *names);

/**
 * Fill in, for each call site, what is still allocated.
 *
 * @param rows
 *         For each site, by id, the number of its row in the model plus one; 0 when it has none.
 * @return
 *         False when memory ran out.
 */
bool hp_origins_live(const struct hp_origins *origins, const struct hp_snapshot *snapshot,
		     const uint32_t *rows, struct hp_model *model);

/**
 * Add a row to the model for each function that calls malloc; together they have everything that was allocated.
 *
 * @return
 *         False when memory ran out.
 */
bool hp_origins_functions(const struct hp_origins *origins, const struct hp_snapshot *snapshot,
			  struct hp_model *model);

#endif
