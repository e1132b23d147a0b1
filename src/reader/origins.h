/* SPDX-License-Identifier: MIT */
/* Where blocks were allocated, over all lanes. */
#ifndef HP_ORIGINS_H
#define HP_ORIGINS_H

#include "names.h"

/** What was allocated in one place, and freed of that, by whomever. */
struct hp_place_sum {
	/** NULL for all the places that have none of their own. */
	const struct hp_origin *origin;
	uint64_t bytes;
	uint64_t blocks;
	uint64_t freed_bytes;
	uint64_t freed_blocks;
	uint64_t temporary_blocks;
};

struct hp_origins {
	/** By id; the first is that of the places without. */
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
 * Tell of each place what is still allocated.
 *
 * @param rows
 *         For each site, by id, the number of its row in the model plus one; 0 when it has none.
 * @return
 *         False when memory ran out.
 */
bool hp_origins_live(const struct hp_origins *origins, const struct hp_snapshot *snapshot,
		     const struct hp_names *names, const uint32_t *rows, struct hp_model *model);

/**
 * Make rows of the functions that call malloc, which have all that was allocated.
 *
 * @return
 *         False when memory ran out.
 */
bool hp_origins_functions(const struct hp_origins *origins, const struct hp_snapshot *snapshot,
			  const struct hp_names *names, struct hp_model *model);

#endif
