/* SPDX-License-Identifier: MIT */
/* What a saved report knows of async work and data flow. */
#ifndef HP_SAVED_FLOWS_H
#define HP_SAVED_FLOWS_H

#include "saved.h"
#include "saved_fields.h"

/** Read it; functions and allocations were read before. Returns 0, or a negative errno with the reason in error. */
int hp_saved_flows(struct json_object *report, struct hp_saved *saved, struct hp_error *error);

#endif
