/* SPDX-License-Identifier: MIT */
/* Reads allocations from a saved report. */
#ifndef HP_SAVED_MEMORY_H
#define HP_SAVED_MEMORY_H

#include "saved.h"
#include "saved_fields.h"

/**
 * Read the sections about allocations, those there are, into a model that has its functions.
 *
 * @return
 *         0, or a negative errno with the reason in error.
 */
int hp_saved_memory(struct json_object *report, struct hp_saved *saved, struct hp_error *error);

#endif
