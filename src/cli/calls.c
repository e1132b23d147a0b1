/* SPDX-License-Identifier: MIT */
/* The recent calls of a function, or the log of a channel and its like, as columns or as JSON. */
#include "calls.h"

#include "events_grid.h"
#include "json_writer.h"
#include "listing.h"
#include "recent_grid.h"
#include "value_text.h"

#include <stdio.h>

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

static void write_listing(struct hp_grid *grid, struct hp_text *text)
{
	char headings[LISTING_COLUMNS][HP_GRID_HEADER + 1];
	const char *names[LISTING_COLUMNS + 1] = { NULL };
	struct hp_text cell = HP_TEXT_INIT;
	struct listing listing;

	for (size_t i = 0; i < grid->column_count && i < LISTING_COLUMNS; i++) {
		snprintf(headings[i], sizeof(headings[i]), "%s%s",
			 grid->columns[i].align == HP_ALIGN_RIGHT ? ">" : "",
			 grid->columns[i].header);
		names[i] = headings[i];
	}
	listing_init(&listing, names);
	add_cells(&listing, grid, &cell);
	listing_write(&listing, text);
	listing_free(&listing);
	hp_grid_close(grid);
	hp_text_free(&cell);
}

/* ---- calls ---- */

static void write_call(struct hp_json *json, const struct hp_recent *call)
{
	hp_json_begin_object(json);
	hp_json_member_u64(json, "duration_ns", call->duration_ns);
	hp_json_member_u64(json, "ago_ns", call->ago_ns);
	hp_json_member_known(json, "tid", call->tid, call->tid != 0);
	hp_json_key(json, "returned");
	hp_value_json(json, call->value_kind, call->value, call->text);
	hp_json_end_object(json);
}

/* What both begin with. */
static void begin_json(struct hp_json *json, const char *type, const char *name)
{
	hp_json_begin_object(json);
	hp_json_member_string(json, "type", type);
	hp_json_member_u64(json, "schema", 1);
	hp_json_member_string(json, "name", name);
}

static void write_calls(const char *name, const struct hp_recent *calls, size_t count, bool pretty,
			struct hp_text *text)
{
	struct hp_json json = hp_json_start(text, pretty);

	begin_json(&json, "hotpath_calls", name);
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
	struct hp_grid grid;

	hp_recent_grid(&grid, calls, count);
	if (format == HP_FORMAT_TABLE)
		write_listing(&grid, text);
	else if (format != HP_FORMAT_NONE)
		write_calls(name, calls, count, format == HP_FORMAT_JSON_PRETTY, text);
}

/* ---- events ---- */

static void write_events(const char *name, enum hp_site_kind site_kind,
			 const struct hp_flow_event *events, size_t count, struct hp_json *json)
{
	const struct hp_kind *kind = hp_kind_of_site(site_kind);

	begin_json(json, "hotpath_events", name);
	hp_json_member_string(json, "kind", kind->events[site_kind - kind->first_site]);
	hp_json_key(json, "events");
	hp_json_begin_array(json);
	for (size_t i = 0; i < count; i++)
		hp_event_json(json, kind, &events[i]);
	hp_json_end_array(json);
	hp_json_end_object(json);
	hp_text_putc(json->text, '\n');
}

void events_write(const char *name, enum hp_site_kind kind, const struct hp_flow_event *events,
		  size_t count, enum hp_format format, struct hp_text *text)
{
	struct hp_json json = hp_json_start(text, format == HP_FORMAT_JSON_PRETTY);
	struct hp_grid grid;

	hp_events_grid(&grid, hp_kind_of_site(kind), events, count);
	if (format == HP_FORMAT_TABLE)
		write_listing(&grid, text);
	else if (format != HP_FORMAT_NONE)
		write_events(name, kind, events, count, &json);
}
