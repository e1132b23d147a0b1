/* SPDX-License-Identifier: MIT */
/* What a saved report knows of threads, and of the memory that the process has in use. */
#ifndef HP_SAVED_THREADS_H
#define HP_SAVED_THREADS_H

#include "saved_fields.h"

/** Read it; allocations were read before. Returns 0, or a negative errno with the reason in error. */
int hp_saved_threads(struct json_object *report, struct hp_model *model, struct hp_error *error);

#endif
