/* SPDX-License-Identifier: MIT */
/*
 * Ids for the rows of a sum of processes.
 *
 * Ids of functions, channels and the like are those of one process. In a sum, rows are numbered by what they are: name, location
 * and kind. A row keeps its number from read to read.
 */
#ifndef HP_ROW_IDS_H
#define HP_ROW_IDS_H

#include "model.h"
#include "names/intern.h"

/** All zero to begin with. */
struct hp_row_ids {
	struct hp_intern known;
	/** By id: a hash of what the row is. */
	uint64_t *keys;
	uint32_t count;
	size_t room;
};

/** Give all functions and entries of a model their ids. Returns false when memory ran out. */
bool hp_row_ids_set(struct hp_row_ids *ids, struct hp_model *model);

/** A number for what a function is: the same in all processes that have it, if their files have the same name. */
uint64_t hp_row_key(const struct hp_function *function);

/** Forget everything, and free it. */
void hp_row_ids_clear(struct hp_row_ids *ids);

#endif
