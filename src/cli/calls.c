/* SPDX-License-Identifier: MIT */
/* The recent calls of a function, as columns or as JSON. */
#include "calls.h"

#include "format.h"
#include "json_writer.h"
#include "listing.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static double bits_to_double(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static void add_none(struct listing *listing, const struct hp_recent *call)
{
	(void)call;
	listing_add(listing, "-");
}

static void add_int(struct listing *listing, const struct hp_recent *call)
{
	listing_add(listing, "%" PRId64, (int64_t)call->value);
}

static void add_uint(struct listing *listing, const struct hp_recent *call)
{
	listing_add(listing, "%" PRIu64, call->value);
}

static void add_double(struct listing *listing, const struct hp_recent *call)
{
	listing_add(listing, "%s", hp_format_decimal(bits_to_double(call->value)).text);
}

static void add_bool(struct listing *listing, const struct hp_recent *call)
{
	listing_add(listing, call->value ? "true" : "false");
}

static void add_pointer(struct listing *listing, const struct hp_recent *call)
{
	listing_add(listing, "0x%" PRIx64, call->value);
}

static void add_string(struct listing *listing, const struct hp_recent *call)
{
	listing_add(listing, "\"%s\"", call->text);
}

static void json_none(struct hp_json *json, const struct hp_recent *call)
{
	(void)call;
	hp_json_null(json);
}

static void json_int(struct hp_json *json, const struct hp_recent *call)
{
	hp_json_i64(json, (int64_t)call->value);
}

static void json_uint(struct hp_json *json, const struct hp_recent *call)
{
	hp_json_u64(json, call->value);
}

static void json_double(struct hp_json *json, const struct hp_recent *call)
{
	hp_json_double(json, bits_to_double(call->value));
}

static void json_bool(struct hp_json *json, const struct hp_recent *call)
{
	hp_json_bool(json, call->value != 0);
}

/* JSON has no hexadecimal numbers, and few readers keep 64 bits. */
static void json_pointer(struct hp_json *json, const struct hp_recent *call)
{
	char address[32];

	snprintf(address, sizeof(address), "0x%" PRIx64, call->value);
	hp_json_string(json, address);
}

static void json_string(struct hp_json *json, const struct hp_recent *call)
{
	hp_json_string(json, call->text);
}

/* By enum hp_value. */
static const struct value_kind {
	void (*add)(struct listing *listing, const struct hp_recent *call);
	void (*json)(struct hp_json *json, const struct hp_recent *call);
} value_kinds[] = {
	[HP_VALUE_NONE] = { add_none, json_none },
	[HP_VALUE_INT] = { add_int, json_int },
	[HP_VALUE_UINT] = { add_uint, json_uint },
	[HP_VALUE_DOUBLE] = { add_double, json_double },
	[HP_VALUE_BOOL] = { add_bool, json_bool },
	[HP_VALUE_POINTER] = { add_pointer, json_pointer },
	[HP_VALUE_STRING] = { add_string, json_string },
};

/* What a later version logs is shown as nothing. */
static const struct value_kind *kind_of(const struct hp_recent *call)
{
	size_t kinds = sizeof(value_kinds) / sizeof(*value_kinds);

	return &value_kinds[call->value_kind < kinds ? call->value_kind : HP_VALUE_NONE];
}

static void write_listing(const struct hp_recent *calls, size_t count, struct hp_text *text)
{
	static const char *const headings[] = { ">Duration", ">Ago", ">TID", "Returned", NULL };
	struct listing listing;

	listing_init(&listing, headings);
	for (size_t i = 0; i < count; i++) {
		listing_add(&listing, "%s", hp_format_duration(calls[i].duration_ns).text);
		listing_add(&listing, "%s", hp_format_duration(calls[i].ago_ns).text);
		if (calls[i].tid)
			listing_add(&listing, "%" PRIu32, calls[i].tid);
		else
			listing_add(&listing, "-");
		kind_of(&calls[i])->add(&listing, &calls[i]);
	}
	listing_write(&listing, text);
	listing_free(&listing);
}

static void write_call(struct hp_json *json, const struct hp_recent *call)
{
	hp_json_begin_object(json);
	hp_json_key(json, "duration_ns");
	hp_json_u64(json, call->duration_ns);
	hp_json_key(json, "ago_ns");
	hp_json_u64(json, call->ago_ns);
	hp_json_key(json, "tid");
	if (call->tid)
		hp_json_u64(json, call->tid);
	else
		hp_json_null(json);
	hp_json_key(json, "returned");
	kind_of(call)->json(json, call);
	hp_json_end_object(json);
}

static void write_json(const char *name, const struct hp_recent *calls, size_t count, bool pretty,
		       struct hp_text *text)
{
	struct hp_json json = hp_json_start(text, pretty);

	hp_json_begin_object(&json);
	hp_json_key(&json, "type");
	hp_json_string(&json, "hotpath_calls");
	hp_json_key(&json, "schema");
	hp_json_u64(&json, 1);
	hp_json_key(&json, "name");
	hp_json_string(&json, name);
	hp_json_key(&json, "calls");
	hp_json_begin_array(&json);
	for (size_t i = 0; i < count; i++)
		write_call(&json, &calls[i]);
	hp_json_end_array(&json);
	hp_json_end_object(&json);
	hp_text_putc(text, '\n');
}

void calls_write(const char *name, const struct hp_recent *calls, size_t count,
		 enum hp_format format, struct hp_text *text)
{
	if (format == HP_FORMAT_TABLE)
		write_listing(calls, count, text);
	else if (format != HP_FORMAT_NONE)
		write_json(name, calls, count, format == HP_FORMAT_JSON_PRETTY, text);
}
