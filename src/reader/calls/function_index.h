/* SPDX-License-Identifier: MIT */
/* Finds the functions of a model by name, file, line, kind and module. */
#ifndef HP_FUNCTION_INDEX_H
#define HP_FUNCTION_INDEX_H

#include "model.h"

/** An open hash table of row numbers plus one. */
struct hp_function_index {
	size_t *slots;
	size_t mask;
};

/**
 * Index the functions that a model has.
 *
 * @param room
 *         How many it may have in the end.
 * @return
 *         0, or -ENOMEM.
 */
int hp_function_index_open(struct hp_function_index *index, const struct hp_model *model,
			   size_t room);

/** Where a function's row number plus one is; 0 is there when it belongs there and is not yet. */
size_t *hp_function_index_slot(const struct hp_function_index *index, const struct hp_model *model,
			       const struct hp_function *function);

void hp_function_index_close(struct hp_function_index *index);

#endif
