/* SPDX-License-Identifier: MIT */
/* What a saved report knows of CPU time. */
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

/** The stacks alone, of the member of that name; as many rows may be added as it has frames. */
int hp_saved_stacks(struct json_object *stacks, struct hp_model *model, struct hp_error *error);

#endif
