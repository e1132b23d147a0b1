/* SPDX-License-Identifier: MIT */
/*
 * The values of a saved report: what each must be, and how it is read.
 *
 * Tables say what a report may contain: a key, the type of its value, and where it is stored. A missing or null key
 * leaves the default; a value of another type means that the report is damaged.
 */
#ifndef HP_SAVED_FIELDS_H
#define HP_SAVED_FIELDS_H

#include "reader.h"

#include <json-c/json.h>

/** What a value must be, and how it is read. */
struct hp_saved_type {
	/** False when the value is not that. */
	bool (*read)(struct json_object *value, void *into);
	/** To say so. */
	const char *what;
};

/** A line of a table; the last has a key of NULL. */
struct hp_saved_field {
	const char *key;
	const struct hp_saved_type *type;
	size_t offset;
};

extern const struct hp_saved_type hp_saved_type_u64;
extern const struct hp_saved_type hp_saved_type_u32;
/** An int: an exit status or the number of a signal. */
extern const struct hp_saved_type hp_saved_type_byte;
/** A double. */
extern const struct hp_saved_type hp_saved_type_number;
extern const struct hp_saved_type hp_saved_type_boolean;
/** A char pointer, to be freed. */
extern const struct hp_saved_type hp_saved_type_string;
/** An enum hp_site_kind. */
extern const struct hp_saved_type hp_saved_type_kind;

/** Where a function is in the source: into a struct hp_function. */
extern const struct hp_saved_field hp_saved_location_fields[];

bool hp_saved_u64(struct json_object *value, void *into);
bool hp_saved_double(struct json_object *value, void *into);

/** Say what is wrong; for `return hp_saved_fail(…)`. */
int hp_saved_fail(struct hp_error *error, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** The value of a key; NULL when it is missing or null. */
struct json_object *hp_saved_member(struct json_object *object, const char *key);

/** Read what a table says. Returns 0, or -EINVAL with the reason in error, as the others do. */
int hp_saved_fields(struct json_object *object, const struct hp_saved_field *fields, void *into,
		    struct hp_error *error);

/** The fields of an object inside an object, which may be missing. */
int hp_saved_member_fields(struct json_object *object, const char *key,
			   const struct hp_saved_field *fields, void *into, struct hp_error *error);

/** An array, which may be missing, and its length. */
int hp_saved_array(struct json_object *object, const char *key, struct json_object **array,
		   size_t *length, struct hp_error *error);

#endif
