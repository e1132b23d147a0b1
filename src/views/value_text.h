/* SPDX-License-Identifier: MIT */
/* A logged value as text for people, and as JSON. */
#ifndef HP_VALUE_TEXT_H
#define HP_VALUE_TEXT_H

#include "json_writer.h"
#include "text.h"

/**
 * Write a value.
 *
 * @param kind
 *         An enum hp_value. Unknown kinds, of a later version, are shown as nothing.
 * @param bits
 *         The value, unless it is a string.
 * @param string
 *         The value, if it is one; NULL is an empty one.
 */
void hp_value_text(struct hp_text *text, uint32_t kind, uint64_t bits, const char *string);

/** Any double: "2.5", "nan", "-inf". */
void hp_double_text(struct hp_text *text, double value);

/** The same as JSON; no value is null, and a pointer is a string. */
void hp_value_json(struct hp_json *json, uint32_t kind, uint64_t bits, const char *string);

#endif
