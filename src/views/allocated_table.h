/* SPDX-License-Identifier: MIT */
/* Callers and callees of a function by what was allocated in it: as a table or JSON. */
#ifndef HP_ALLOCATED_TABLE_H
#define HP_ALLOCATED_TABLE_H

#include "json_writer.h"
#include "neighbours.h"

/**
 * Write a table of the callers, or of the callees, of the functions with a name, from the stacks of allocations.
 *
 * @param alone
 *         Nothing else is known of the function: JSON is an object of its own. Otherwise it is in that of the others, by
 *         hp_allocated_member, and a table comes after theirs.
 * @return
 *         0, or -ENOENT when nothing was allocated in the function, and then nothing is written.
 */
int hp_allocated_write(const struct hp_model *model, enum hp_direction direction, const char *name,
		       bool alone, const struct hp_report_options *options, struct hp_text *text);

/** Write callers or callees as the member "allocations" of an object that has begun; nothing if nothing was allocated. */
void hp_allocated_member(struct hp_json *json, const struct hp_model *model,
			 enum hp_direction direction, const char *name);

#endif
