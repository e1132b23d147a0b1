/* SPDX-License-Identifier: MIT */
/* Values of json-c as text that is bounded. */
#include "bounded.h"

#include <json-c/json.h>

#include <string.h>

enum {
	/* Bytes of a string as it is in the answer. */
	STRING_COST = 300,
	/* In the text of a result, which is JSON in a string of JSON, a quote is \\\" and a control character \\\\u001b. */
	QUOTE_COST = 4,
	CONTROL_COST = 9,
};

/* The bytes of the next character, and what they cost; a byte that is no UTF-8 is written as U+FFFD. */
static size_t next_character(const char *string, uint32_t *code, size_t *cost)
{
	size_t size = hp_utf8_read(string, code);

	if (!size) {
		*code = 0xfffd;
		*cost = 3;
		return 1;
	}
	*cost = hp_utf8_is_control(*code)	? CONTROL_COST
		: *code == '"' || *code == '\\' ? QUOTE_COST
						: size;
	return size;
}

void hp_mcp_put_string(struct hp_json *json, const char *string)
{
	struct hp_text text = HP_TEXT_INIT;
	size_t spent = 0, cost;
	uint32_t code;

	for (const char *at = string; *at; spent += cost) {
		size_t size = next_character(at, &code, &cost);
		if (spent + cost > STRING_COST) {
			hp_text_puts(&text, "…");
			break;
		}
		if (cost == CONTROL_COST)
			hp_text_printf(&text, "\\u%04x", code);
		else
			hp_text_add(&text, at, size);
		at += size;
	}
	json->text->failed |= text.failed;
	hp_json_string(json, text.bytes ? text.bytes : "");
	hp_text_free(&text);
}

static void put_array(struct hp_json *json, struct json_object *array)
{
	hp_json_begin_array(json);
	for (size_t i = 0; i < json_object_array_length(array); i++)
		hp_mcp_put(json, json_object_array_get_idx(array, i));
	hp_json_end_array(json);
}

static void put_object(struct hp_json *json, struct json_object *object)
{
	hp_json_begin_object(json);
	json_object_object_foreach(object, key, value)
	{
		hp_json_key(json, key);
		hp_mcp_put(json, value);
	}
	hp_json_end_object(json);
}

static void put_integer(struct hp_json *json, struct json_object *value)
{
	int64_t number = json_object_get_int64(value);

	if (number < 0)
		hp_json_i64(json, number);
	else
		hp_json_u64(json, json_object_get_uint64(value));
}

/* Shares and rates need no 15 digits. */
static void put_double(struct hp_json *json, double value)
{
	bool rounds = value >= 0.01 && value < 1e12;

	hp_json_double(json, rounds ? (double)(uint64_t)(value * 100 + 0.5) / 100 : value);
}

void hp_mcp_put(struct hp_json *json, struct json_object *value)
{
	switch (json_object_get_type(value)) {
	case json_type_null:
		hp_json_null(json);
		break;
	case json_type_boolean:
		hp_json_bool(json, json_object_get_boolean(value));
		break;
	case json_type_double:
		put_double(json, json_object_get_double(value));
		break;
	case json_type_int:
		put_integer(json, value);
		break;
	case json_type_object:
		put_object(json, value);
		break;
	case json_type_array:
		put_array(json, value);
		break;
	case json_type_string:
		hp_mcp_put_string(json, json_object_get_string(value));
		break;
	}
}

/* ---- arrays ---- */

static size_t size_of(struct json_object *value)
{
	size_t size = 0;

	json_object_to_json_string_length(value, JSON_C_TO_STRING_PLAIN, &size);
	return size;
}

struct largest {
	struct json_object *array;
	size_t size;
};

static void find_largest(struct largest *largest, struct json_object *value)
{
	if (json_object_is_type(value, json_type_array) && json_object_array_length(value)) {
		size_t size = size_of(value);
		if (size > largest->size)
			*largest = (struct largest){ value, size };
	} else if (json_object_is_type(value, json_type_object)) {
		json_object_object_foreach(value, key, member)
		{
			(void)key;
			find_largest(largest, member);
		}
	}
}

bool hp_mcp_shorten(struct json_object *value)
{
	struct largest largest = { NULL, 0 };

	find_largest(&largest, value);
	if (!largest.array)
		return false;
	return json_object_array_del_idx(largest.array, json_object_array_length(largest.array) - 1,
					 1) == 0;
}
