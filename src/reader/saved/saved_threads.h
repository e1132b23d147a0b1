/* SPDX-License-Identifier: MIT */
/* Reads the memory use of the process from the section about threads of a saved report. */
#ifndef HP_SAVED_THREADS_H
#define HP_SAVED_THREADS_H

#include "saved_fields.h"

/** Must be called after allocations were read. Returns 0, or a negative errno with the reason in error. */
int hp_saved_threads(struct json_object *report, struct hp_model *model, struct hp_error *error);

#endif
