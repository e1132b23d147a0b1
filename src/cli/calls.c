/* SPDX-License-Identifier: MIT */
/* The recent calls of a function, as columns or as JSON. */
#include "calls.h"

#include "json_writer.h"
#include "listing.h"
#include "recent_grid.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static double bits_to_double(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
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
static void (*const json_values[])(struct hp_json *json, const struct hp_recent *call) = {
	[HP_VALUE_NONE] = json_none,	 [HP_VALUE_INT] = json_int,
	[HP_VALUE_UINT] = json_uint,	 [HP_VALUE_DOUBLE] = json_double,
	[HP_VALUE_BOOL] = json_bool,	 [HP_VALUE_POINTER] = json_pointer,
	[HP_VALUE_STRING] = json_string,
};

/* What a later version logs is shown as nothing. */
static void json_value(struct hp_json *json, const struct hp_recent *call)
{
	size_t kinds = sizeof(json_values) / sizeof(*json_values);

	json_values[call->value_kind < kinds ? call->value_kind : HP_VALUE_NONE](json, call);
}

static void add_cells(struct listing *listing, const struct hp_grid *grid, struct hp_text *cell)
{
	for (size_t row = 0; row < grid->row_count; row++) {
		for (size_t column = 0; column < grid->column_count; column++) {
			cell->length = 0;
			grid->kind->cell(grid, row, column, cell);
			listing_add(listing, "%s", cell->bytes ? cell->bytes : "");
		}
	}
}

static void write_listing(const struct hp_recent *calls, size_t count, struct hp_text *text)
{
	char headings[LISTING_COLUMNS][HP_GRID_HEADER + 1];
	const char *names[LISTING_COLUMNS + 1] = { NULL };
	struct hp_text cell = HP_TEXT_INIT;
	struct listing listing;
	struct hp_grid grid;

	hp_recent_grid(&grid, calls, count);
	for (size_t i = 0; i < grid.column_count; i++) {
		snprintf(headings[i], sizeof(headings[i]), "%s%s",
			 grid.columns[i].align == HP_ALIGN_RIGHT ? ">" : "",
			 grid.columns[i].header);
		names[i] = headings[i];
	}
	listing_init(&listing, names);
	add_cells(&listing, &grid, &cell);
	listing_write(&listing, text);
	listing_free(&listing);
	hp_grid_close(&grid);
	hp_text_free(&cell);
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
	json_value(json, call);
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
