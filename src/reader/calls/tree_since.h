/* SPDX-License-Identifier: MIT */
/* The call tree of a window: what branches did between two reads. */
#ifndef HP_TREE_SINCE_H
#define HP_TREE_SINCE_H

#include "model.h"

/**
 * Take an earlier tree out of a later one, and drop branches in which nothing happened.
 *
 * @param rows
 *         For each function of the earlier model, its row in the later one, or HP_NO_FUNCTION if it has none.
 * @return
 *         0, or -ENOMEM.
 */
int hp_tree_subtract(struct hp_model *model, const struct hp_model *earlier, const int32_t *rows);

#endif
