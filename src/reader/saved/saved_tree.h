/* SPDX-License-Identifier: MIT */
/* The call tree of a saved report. */
#ifndef HP_SAVED_TREE_H
#define HP_SAVED_TREE_H

#include "saved_fields.h"

/**
 * Read the call tree of a report, if it has one, into a model that has its functions.
 *
 * A plain report may have left out functions that are in the tree: they become rows without calls, which
 * no table shows.
 *
 * @return
 *         0, or a negative errno with the reason in error.
 */
int hp_saved_tree(struct json_object *report, struct hp_model *model, struct hp_error *error);

#endif
