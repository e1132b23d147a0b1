/* SPDX-License-Identifier: MIT */
/* Functions that measure themselves although the compiler makes them call us too. */
#ifndef HP_TWINS_H
#define HP_TWINS_H

#include "names.h"

/** Find out which sites are one with one that is known by its address: names has them as twins. */
void hp_twins_find(struct hp_names *names, const struct hp_snapshot *snapshot);

/**
 * Make one row of the two that such a function has. It has the figures of the one that is known by its
 * address, which begins earlier and ends later, unless the other is the row that is 100 %; the place in the
 * source of the other; and the exclusive time and allocations of both, because one is called inside the other.
 *
 * @param rows
 *         For each site, the number of its row plus one; 0 when it has none. Rows have other numbers
 *         afterwards, and two sites the same one where they were made one.
 */
void hp_twins_join(struct hp_model *model, const struct hp_snapshot *snapshot,
		   const struct hp_names *names, uint32_t *rows);

#endif
