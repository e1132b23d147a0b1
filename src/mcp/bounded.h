/* SPDX-License-Identifier: MIT */
/* Values of json-c as text that is bounded, whatever a program has named its functions. */
#ifndef HP_MCP_BOUNDED_H
#define HP_MCP_BOUNDED_H

#include "json_writer.h"

#include <json-c/json_types.h>

/**
 * Write a string: control characters, also those that turn the writing direction, as \u001b; and only as much of it as fits
 * into some hundred bytes. A string that was cut ends with "…".
 */
void hp_mcp_put_string(struct hp_json *json, const char *string);

/** Write a value with such strings. */
void hp_mcp_put(struct hp_json *json, struct json_object *value);

/** Remove the last element of the largest array in a value. Returns false if all are empty. */
bool hp_mcp_shorten(struct json_object *value);

#endif
