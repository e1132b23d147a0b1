/* SPDX-License-Identifier: MIT */
/* The values of a saved report: what each must be, and how it is read. */
#include "saved_fields.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int hp_saved_fail(struct hp_error *error, int code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	return code;
}

bool hp_saved_u64(struct json_object *value, void *into)
{
	if (!json_object_is_type(value, json_type_int) || json_object_get_int64(value) < 0)
		return false;
	*(uint64_t *)into = json_object_get_uint64(value);
	return true;
}

static bool read_u32(struct json_object *value, void *into)
{
	uint64_t number;
	if (!hp_saved_u64(value, &number) || number > UINT32_MAX)
		return false;
	*(uint32_t *)into = (uint32_t)number;
	return true;
}

/* An exit status or the number of a signal. */
static bool read_byte(struct json_object *value, void *into)
{
	uint64_t number;
	if (!hp_saved_u64(value, &number) || number > 255)
		return false;
	*(int *)into = (int)number;
	return true;
}

bool hp_saved_double(struct json_object *value, void *into)
{
	if (!json_object_is_type(value, json_type_double) &&
	    !json_object_is_type(value, json_type_int))
		return false;
	double number = json_object_get_double(value);
	*(double *)into = number;
	return isfinite(number) && number >= 0;
}

static bool read_bool(struct json_object *value, void *into)
{
	if (!json_object_is_type(value, json_type_boolean))
		return false;
	*(bool *)into = json_object_get_boolean(value);
	return true;
}

static bool read_string(struct json_object *value, void *into)
{
	if (!json_object_is_type(value, json_type_string))
		return false;
	char *copy = strdup(json_object_get_string(value));
	free(*(char **)into);
	*(char **)into = copy;
	return copy;
}

static bool read_kind(struct json_object *value, void *into)
{
	static const char *const names[] = {
		[HP_SITE_FUNCTION] = "function", [HP_SITE_BLOCK] = "block", [HP_SITE_SPAN] = "span",
		[HP_SITE_MAIN] = "main",	 [HP_SITE_CALL] = "call",   [HP_SITE_POLL] = "poll",
	};
	const char *name = json_object_get_string(value);

	for (unsigned kind = HP_SITE_FUNCTION; kind <= HP_SITE_POLL; kind++) {
		if (names[kind] && strcmp(name, names[kind]) == 0) {
			*(enum hp_site_kind *)into = (enum hp_site_kind)kind;
			return true;
		}
	}
	return false;
}

const struct hp_saved_type hp_saved_type_u64 = { hp_saved_u64, "a whole number" };
const struct hp_saved_type hp_saved_type_u32 = { read_u32, "a whole number of 32 bits" };
const struct hp_saved_type hp_saved_type_byte = { read_byte, "a number up to 255" };
const struct hp_saved_type hp_saved_type_number = { hp_saved_double, "a number" };
const struct hp_saved_type hp_saved_type_boolean = { read_bool, "true or false" };
const struct hp_saved_type hp_saved_type_string = { read_string, "a string" };
const struct hp_saved_type hp_saved_type_kind = { read_kind, "a kind of function" };

const struct hp_saved_field hp_saved_location_fields[] = {
	{ "file", &hp_saved_type_string, offsetof(struct hp_function, file) },
	{ "line", &hp_saved_type_u32, offsetof(struct hp_function, line) },
	{ NULL, NULL, 0 },
};

struct json_object *hp_saved_member(struct json_object *object, const char *key)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(object, key, &value);
	return value;
}

int hp_saved_fields(struct json_object *object, const struct hp_saved_field *fields, void *into,
		    struct hp_error *error)
{
	for (; fields->key; fields++) {
		struct json_object *value = hp_saved_member(object, fields->key);
		if (value && !fields->type->read(value, (char *)into + fields->offset))
			return hp_saved_fail(error, -EINVAL, "damaged report: '%s' is not %s",
					     fields->key, fields->type->what);
	}
	return 0;
}

int hp_saved_member_fields(struct json_object *object, const char *key,
			   const struct hp_saved_field *fields, void *into, struct hp_error *error)
{
	struct json_object *inside = hp_saved_member(object, key);
	if (!inside)
		return 0;
	if (!json_object_is_type(inside, json_type_object))
		return hp_saved_fail(error, -EINVAL, "damaged report: '%s' is not an object", key);
	return hp_saved_fields(inside, fields, into, error);
}

int hp_saved_array(struct json_object *object, const char *key, struct json_object **array,
		   size_t *length, struct hp_error *error)
{
	*array = hp_saved_member(object, key);
	*length = 0;
	if (!*array)
		return 0;
	if (!json_object_is_type(*array, json_type_array))
		return hp_saved_fail(error, -EINVAL, "damaged report: '%s' is not an array", key);
	*length = json_object_array_length(*array);
	return 0;
}
