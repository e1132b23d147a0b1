/* SPDX-License-Identifier: MIT */
/* What every section says of a function in JSON in the same way. */
#ifndef HP_FUNCTION_JSON_H
#define HP_FUNCTION_JSON_H

#include "json_writer.h"
#include "model.h"

/** "function", "block", "span" or "main". */
const char *hp_kind_name(enum hp_site_kind kind);

/** The member "location", file and line or null; and where the code is, if it is known by its address. */
void hp_json_location(struct hp_json *json, const struct hp_function *function);

#endif
