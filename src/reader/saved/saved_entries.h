/* SPDX-License-Identifier: MIT */
/* Reads the rows of kinds from a saved report. */
#ifndef HP_SAVED_ENTRIES_H
#define HP_SAVED_ENTRIES_H

#include "saved.h"
#include "saved_fields.h"

/** Read them; functions and allocations were read before. Returns 0, or a negative errno with the reason in error. */
int hp_saved_entries(struct json_object *report, struct hp_saved *saved, struct hp_error *error);

#endif
