/* SPDX-License-Identifier: MIT */
/* Where blocks were allocated, over all lanes. */
#ifndef HP_ORIGINS_H
#define HP_ORIGINS_H

#include "names/names.h"

/** What was allocated at one call site, and how much of that was freed, by any thread. */
struct hp_place_sum {
	/** NULL for the sum of all call sites without an hp_origin of their own. */
	const struct hp_origin *origin;
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
 * Fill in, for each call site, what is still allocated.
 *
 * @param rows
 *         For each site, by id, the number of its row in the model plus one; 0 when it has none.
 * @return
 *         False when memory ran out.
 */
bool hp_origins_live(const struct hp_origins *origins, const struct hp_snapshot *snapshot,
		     const struct hp_names *names, const uint32_t *rows, struct hp_model *model);

/**
 * Add a row to the model for each function that calls malloc; together they have everything that was allocated.
 *
 * @return
 *         False when memory ran out.
 */
bool hp_origins_functions(const struct hp_origins *origins, const struct hp_snapshot *snapshot,
			  const struct hp_names *names, struct hp_model *model);

#endif
