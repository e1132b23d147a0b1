/* SPDX-License-Identifier: MIT */
/* The recent calls of a function, or the log of a channel and its like, as columns or as JSON. */
#include "calls.h"

#include "events_grid.h"
#include "listing.h"
#include "log_json.h"
#include "recent_grid.h"

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

void calls_write(const char *name, const struct hp_recent *calls, size_t count,
		 enum hp_format format, struct hp_text *text)
{
	struct hp_json json = hp_json_start(text, format == HP_FORMAT_JSON_PRETTY);
	struct hp_grid grid;

	hp_recent_grid(&grid, calls, count);
	if (format == HP_FORMAT_TABLE) {
		write_listing(&grid, text);
	} else if (format != HP_FORMAT_NONE) {
		hp_calls_json(&json, name, calls, count);
		hp_text_putc(text, '\n');
	}
}

void events_write(const char *name, enum hp_site_kind kind, const struct hp_flow_event *events,
		  size_t count, enum hp_format format, struct hp_text *text)
{
	struct hp_json json = hp_json_start(text, format == HP_FORMAT_JSON_PRETTY);
	struct hp_grid grid;

	hp_events_grid(&grid, hp_kind_of_site(kind), events, count);
	if (format == HP_FORMAT_TABLE) {
		write_listing(&grid, text);
	} else if (format != HP_FORMAT_NONE) {
		hp_events_json(&json, name, kind, events, count);
		hp_text_putc(text, '\n');
	}
}
