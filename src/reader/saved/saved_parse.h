/* SPDX-License-Identifier: MIT */
/* Parses untrusted JSON text into json-c objects. */
#ifndef HP_SAVED_PARSE_H
#define HP_SAVED_PARSE_H

#include "reader.h"

#include <json-c/json.h>

/**
 * Parse a text strictly: nothing but JSON and white space, in UTF-8.
 *
 * @param bytes
 *         It need not end with NUL.
 * @param depth
 *         How far objects and arrays may be inside each other.
 * @param refusal
 *         What to say of a text that is no JSON; why it is none follows.
 * @param value
 *         To be put back; NULL for a null.
 * @return
 *         0, or a negative errno with the reason in error: -EINVAL for what is no JSON, or more than one text of it;
 *         -EFBIG for what would take too much memory; -ENOMEM.
 */
int hp_saved_parse(const char *bytes, size_t size, int depth, const char *refusal,
		   struct json_object **value, struct hp_error *error);

#endif
