/* SPDX-License-Identifier: MIT */
/* The log of a row of a kind, as a grid. */
#include "events_grid.h"

#include "format.h"
#include "value_text.h"

#include <inttypes.h>
#include <stdio.h>

static const char *future_state(uint32_t state)
{
	static const char names[][12] = {
		[HP_FUTURE_PENDING] = "pending",     [HP_FUTURE_RUNNING] = "running",
		[HP_FUTURE_SUSPENDED] = "suspended", [HP_FUTURE_READY] = "ready",
		[HP_FUTURE_DROPPED] = "cancelled",
	};

	return state && state < sizeof(names) / sizeof(*names) ? names[state] : "?";
}

static void put_took(const struct hp_flow_event *event, const char *otherwise, struct hp_text *text)
{
	hp_text_puts(text, event->has_ended ? hp_format_duration(event->took_ns).text : otherwise);
}

static void put_logged(const struct hp_flow_event *event, unsigned part, struct hp_text *text)
{
	switch ((enum hp_logged_part)part) {
	case HP_LOGGED_TEXT:
		hp_text_puts(text, event->text[0] ? event->text : "-");
		break;
	case HP_LOGGED_VALUE:
		hp_value_text(text, event->value_kind, event->value, event->text);
		break;
	case HP_LOGGED_STATE:
		hp_text_puts(text, future_state(event->state));
		break;
	case HP_LOGGED_BYTES:
		hp_text_puts(text, hp_format_bytes(event->bytes).text);
		break;
	case HP_LOGGED_TOOK:
		put_took(event, "-", text);
		break;
	case HP_LOGGED_DELAY:
		put_took(event, event->is_queued ? "queued" : "-", text);
		break;
	case HP_LOGGED_QUEUED:
		hp_text_puts(text, event->is_queued ? "yes" : "no");
		break;
	case HP_LOGGED_POLLS:
		hp_text_printf(text, "%" PRIu32, event->polls);
		break;
	}
}

static void put_tid(const struct hp_flow_event *event, struct hp_text *text)
{
	if (event->tid)
		hp_text_printf(text, "%" PRIu32, event->tid);
	else
		hp_text_putc(text, '-');
}

/* ---- columns ---- */

/* The first column and the last two are the same for all kinds. */
enum { BEFORE = 1 };

/* The field with a place among the columns; NULL if there is none. */
static const struct hp_logged_field *field_at(const struct hp_kind *kind, size_t nth)
{
	for (const struct hp_logged_field *field = kind->log; field && field->key; field++)
		if (field->nth == nth)
			return field;
	return NULL;
}

static enum hp_paint write_cell(const struct hp_grid *grid, size_t row, size_t column,
				struct hp_text *text)
{
	const struct hp_flow_event *event = &((const struct hp_flow_event *)grid->rows)[row];
	const struct hp_logged_field *field = field_at(grid->base, column);

	if (column < BEFORE)
		hp_text_printf(text, "%" PRIu64, event->number);
	else if (field)
		put_logged(event, field->part, text);
	else if (column == grid->column_count - 1)
		put_tid(event, text);
	else
		hp_text_puts(text, hp_format_duration(event->ago_ns).text);
	return HP_PAINT_PLAIN;
}

static uint64_t identity_of(const struct hp_grid *grid, size_t row)
{
	const struct hp_flow_event *events = grid->rows;

	return events[row].number;
}

static void close_events(struct hp_grid *grid)
{
	(void)grid;
}

static void add_column(struct hp_grid *grid, const char *key, const char *header,
		       enum hp_align align, unsigned rank)
{
	struct hp_grid_column *column = &grid->columns[grid->column_count++];

	snprintf(column->key, sizeof(column->key), "%s", key);
	snprintf(column->header, sizeof(column->header), "%s", header);
	column->align = align;
	column->rank = rank;
}

static void add_field(struct hp_grid *grid, const struct hp_logged_field *field)
{
	bool is_long = field->part == HP_LOGGED_TEXT || field->part == HP_LOGGED_VALUE;
	bool is_text = is_long || field->part == HP_LOGGED_STATE;

	/* The column that may be long. */
	if (is_long)
		grid->name = grid->column_count;
	add_column(grid, field->key, field->header, is_text ? HP_ALIGN_LEFT : HP_ALIGN_RIGHT,
		   field->rank);
}

void hp_events_grid(struct hp_grid *grid, const struct hp_kind *kind,
		    const struct hp_flow_event *events, size_t count)
{
	static const struct hp_grid_kind events_kind = { write_cell, identity_of, NULL,
							 close_events };
	const struct hp_logged_field *field;

	*grid = (struct hp_grid){ .kind = &events_kind,
				  .sorted = -1,
				  .row_count = count,
				  .rows = (void *)(uintptr_t)events,
				  .base = (void *)(uintptr_t)kind };
	add_column(grid, "index", "Index", HP_ALIGN_RIGHT, 5);
	while ((field = field_at(kind, grid->column_count)))
		add_field(grid, field);
	add_column(grid, "ago", "Ago", HP_ALIGN_RIGHT, 3);
	add_column(grid, "tid", "TID", HP_ALIGN_RIGHT, 6);
}

/* ---- JSON ---- */

static void put_json(struct hp_json *json, const struct hp_flow_event *event,
		     const struct hp_logged_field *field)
{
	hp_json_key(json, field->key);
	switch ((enum hp_logged_part)field->part) {
	case HP_LOGGED_TEXT:
		hp_json_string(json, event->text);
		break;
	case HP_LOGGED_VALUE:
		hp_value_json(json, event->value_kind, event->value, event->text);
		break;
	case HP_LOGGED_STATE:
		hp_json_string(json, future_state(event->state));
		break;
	case HP_LOGGED_BYTES:
		hp_json_u64(json, event->bytes);
		break;
	case HP_LOGGED_TOOK:
	case HP_LOGGED_DELAY:
		if (event->has_ended)
			hp_json_u64(json, event->took_ns);
		else
			hp_json_null(json);
		break;
	case HP_LOGGED_QUEUED:
		hp_json_bool(json, event->is_queued);
		break;
	case HP_LOGGED_POLLS:
		hp_json_u64(json, event->polls);
		break;
	}
}

void hp_event_json(struct hp_json *json, const struct hp_kind *kind,
		   const struct hp_flow_event *event)
{
	hp_json_begin_object(json);
	hp_json_member_u64(json, "index", event->number);
	hp_json_member_u64(json, "ago_ns", event->ago_ns);
	hp_json_member_known(json, "tid", event->tid, event->tid != 0);
	for (const struct hp_logged_field *field = kind->log; field && field->key; field++)
		put_json(json, event, field);
	hp_json_end_object(json);
}
