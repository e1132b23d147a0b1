/* SPDX-License-Identifier: MIT */
/* Reads CPU time and stacks from a saved report. */
#ifndef HP_SAVED_CPU_H
#define HP_SAVED_CPU_H

#include "saved_fields.h"

/**
 * Read CPU time and stacks, if they are there, into a model that has its functions.
 *
 * @return
 *         0, or a negative errno with the reason in error.
 */
int hp_saved_cpu(struct json_object *report, struct hp_model *model, struct hp_error *error);

/** Read the stacks of waits, if they are there. The same. */
int hp_saved_waits(struct json_object *report, struct hp_model *model, struct hp_error *error);

/** Read the stacks of allocations, if they are there. The same. */
int hp_saved_allocations(struct json_object *report, struct hp_model *model,
			 struct hp_error *error);

/** Read the lists of a member "stacks" or the like; it may add as many rows as it has frames. */
int hp_saved_stacks(struct json_object *stacks, struct hp_model *model, struct hp_cpu *into,
		    struct hp_error *error);

#endif
