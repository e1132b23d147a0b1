/* SPDX-License-Identifier: MIT */
/* From the nodes of every lane to one call tree. */
#ifndef HP_LANE_TREE_H
#define HP_LANE_TREE_H

#include "model.h"
#include "stat_index.h"

/**
 * Read the call tree of a segment, if it has one, into a model that has its functions.
 *
 * @param index
 *         Is told what of the segment was touched.
 * @param rows
 *         For each site id, the row of the model plus one; 0 for none. Several sites may share a row, because they
 *         see the same calls: where one calls the other, they become one branch, with the calls of the outer one.
 * @return
 *         False when memory ran out.
 */
bool hp_tree_read(const struct hp_snapshot *snapshot, struct hp_stat_index *index,
		  const uint32_t *rows, struct hp_model *model);

#endif
