/* SPDX-License-Identifier: MIT */
/* Twins: functions that are measured twice, by HOTPATH_MEASURE and by compiler instrumentation. */
#ifndef HP_TWINS_H
#define HP_TWINS_H

#include "names/names.h"

/** Find HOTPATH_MEASURE sites that are the same function as an address site; stored as twin in names. */
void hp_twins_find(struct hp_names *names, const struct hp_snapshot *snapshot);

/**
 * Join the two rows of such a function. The result has the figures of the address site, which begins earlier and ends
 * later, unless the other row is the one that is 100 %; the source location of the other; and the exclusive time and
 * allocations of both, because one is called inside the other.
 *
 * @param rows
 *         For each site, the number of its row plus one; 0 when it has none. Rows have other numbers
 *         afterwards, and two sites the same one where they were made one.
 */
void hp_twins_join(struct hp_model *model, const struct hp_snapshot *snapshot,
		   const struct hp_names *names, uint32_t *rows);

#endif
