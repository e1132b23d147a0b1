/* SPDX-License-Identifier: MIT */
/*
 * A streaming JSON writer: it writes commas, indentation and escapes.
 *
 *	struct hp_json json = hp_json_start(&text, false);
 *	hp_json_begin_object(&json);
 *	hp_json_key(&json, "calls");
 *	hp_json_u64(&json, 1000);
 *	hp_json_end_object(&json);
 *
 * The text is valid JSON in UTF-8 whatever strings are given, as long as what is begun is ended and
 * every value in an object follows its key.
 */
#ifndef HP_JSON_WRITER_H
#define HP_JSON_WRITER_H

#include "text.h"

#include <stdbool.h>
#include <stdint.h>

/** Private to the writer. */
struct hp_json {
	struct hp_text *text;
	bool pretty;
	/** Containers that are open. */
	unsigned depth;
	/** No value has been written in this container. */
	bool first;
	/** A key stands before. */
	bool keyed;
};

/** @param pretty One value a line, indented by two spaces; else no space at all. */
struct hp_json hp_json_start(struct hp_text *text, bool pretty);

void hp_json_begin_object(struct hp_json *json);
void hp_json_end_object(struct hp_json *json);
void hp_json_begin_array(struct hp_json *json);
void hp_json_end_array(struct hp_json *json);
void hp_json_key(struct hp_json *json, const char *key);

/** NULL is null. Bytes that are no UTF-8 become U+FFFD. */
void hp_json_string(struct hp_json *json, const char *string);
void hp_json_u64(struct hp_json *json, uint64_t value);
void hp_json_i64(struct hp_json *json, int64_t value);
/** Always with a point or an exponent, so that it reads as floating point; null when not finite. */
void hp_json_double(struct hp_json *json, double value);
void hp_json_bool(struct hp_json *json, bool value);
void hp_json_null(struct hp_json *json);

/** A key and its value. */
void hp_json_member_string(struct hp_json *json, const char *key, const char *string);
void hp_json_member_bool(struct hp_json *json, const char *key, bool value);
void hp_json_member_u64(struct hp_json *json, const char *key, uint64_t value);
/** A key and its number, or null where that is not known. */
void hp_json_member_known(struct hp_json *json, const char *key, uint64_t value, bool known);

#endif
