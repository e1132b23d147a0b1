/* SPDX-License-Identifier: MIT */
/* From the nodes of every lane to one call tree. */
#ifndef HP_TREE_H
#define HP_TREE_H

#include "model.h"
#include "snapshot.h"

/**
 * Read the call tree of a segment, if it has one, into a model that has its functions.
 *
 * @param rows
 *         For each site, by id, the number of its row in the model plus one; 0 when it has none. Several
 *         sites may have one row, because they see the same calls: where one calls the other they are one
 *         branch, with the calls of the one that is called first.
 * @return
 *         False when memory ran out.
 */
bool hp_tree_read(const struct hp_snapshot *snapshot, const uint32_t *rows, struct hp_model *model);

#endif
