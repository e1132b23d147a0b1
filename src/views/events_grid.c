/* SPDX-License-Identifier: MIT */
/* The log of a channel, stream, future or value as rows. */
#include "events_grid.h"

#include "format.h"
#include "value_text.h"

#include <inttypes.h>
#include <string.h>

const char *hp_future_state_name(uint32_t state)
{
	static const char names[][12] = {
		[HP_FUTURE_PENDING] = "pending",     [HP_FUTURE_RUNNING] = "running",
		[HP_FUTURE_SUSPENDED] = "suspended", [HP_FUTURE_READY] = "ready",
		[HP_FUTURE_DROPPED] = "cancelled",
	};

	return state && state < sizeof(names) / sizeof(*names) ? names[state] : "?";
}

static void put_number(const struct hp_flow_event *event, struct hp_text *text)
{
	hp_text_printf(text, "%" PRIu64, event->number);
}

static void put_message(const struct hp_flow_event *event, struct hp_text *text)
{
	hp_text_puts(text, event->text[0] ? event->text : "-");
}

static void put_value(const struct hp_flow_event *event, struct hp_text *text)
{
	hp_value_text(text, event->value_kind, event->value, event->text);
}

static void put_bytes(const struct hp_flow_event *event, struct hp_text *text)
{
	hp_text_puts(text, hp_format_bytes(event->bytes).text);
}

static void put_delay(const struct hp_flow_event *event, struct hp_text *text)
{
	if (event->has_ended)
		hp_text_puts(text, hp_format_duration(event->took_ns).text);
	else
		hp_text_puts(text, event->is_queued ? "queued" : "-");
}

static void put_state(const struct hp_flow_event *event, struct hp_text *text)
{
	hp_text_puts(text, hp_future_state_name(event->state));
}

static void put_polls(const struct hp_flow_event *event, struct hp_text *text)
{
	hp_text_printf(text, "%" PRIu32, event->polls);
}

static void put_took(const struct hp_flow_event *event, struct hp_text *text)
{
	hp_text_puts(text, event->has_ended ? hp_format_duration(event->took_ns).text : "-");
}

static void put_ago(const struct hp_flow_event *event, struct hp_text *text)
{
	hp_text_puts(text, hp_format_duration(event->ago_ns).text);
}

static void put_tid(const struct hp_flow_event *event, struct hp_text *text)
{
	if (event->tid)
		hp_text_printf(text, "%" PRIu32, event->tid);
	else
		hp_text_putc(text, '-');
}

#define OF(kind) (1U << HP_SITE_##kind)
#define MESSAGES (OF(CHANNEL) | OF(STREAM))
#define VALUES (OF(DBG) | OF(VAL) | OF(GAUGE))

static const struct {
	struct hp_grid_column column;
	/* For logs of these kinds. */
	unsigned kinds;
	void (*put)(const struct hp_flow_event *event, struct hp_text *text);
} columns[] = {
	{ { "index", "Index", HP_ALIGN_RIGHT, 5 }, ~0U, put_number },
	{ { "message", "Message", HP_ALIGN_LEFT, 0 }, MESSAGES, put_message },
	{ { "value", "Value", HP_ALIGN_LEFT, 0 }, VALUES, put_value },
	{ { "state", "State", HP_ALIGN_LEFT, 0 }, OF(FUTURE), put_state },
	{ { "result", "Result", HP_ALIGN_LEFT, 1 }, OF(FUTURE), put_value },
	{ { "bytes", "Bytes", HP_ALIGN_RIGHT, 4 }, MESSAGES, put_bytes },
	{ { "delay", "Delay", HP_ALIGN_RIGHT, 1 }, OF(CHANNEL), put_delay },
	{ { "polls", "Polls", HP_ALIGN_RIGHT, 4 }, OF(FUTURE), put_polls },
	{ { "took", "Took", HP_ALIGN_RIGHT, 2 }, OF(FUTURE), put_took },
	{ { "ago", "Ago", HP_ALIGN_RIGHT, 3 }, ~0U, put_ago },
	{ { "tid", "TID", HP_ALIGN_RIGHT, 6 }, ~0U, put_tid },
};

enum { COLUMNS = sizeof(columns) / sizeof(*columns) };

static enum hp_paint write_cell(const struct hp_grid *grid, size_t row, size_t column,
				struct hp_text *text)
{
	const struct hp_flow_event *events = grid->rows;

	for (size_t i = 0; i < COLUMNS; i++)
		if (strcmp(columns[i].column.key, grid->columns[column].key) == 0)
			columns[i].put(&events[row], text);
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

void hp_events_grid(struct hp_grid *grid, enum hp_site_kind kind,
		    const struct hp_flow_event *events, size_t count)
{
	static const struct hp_grid_kind events_kind = { write_cell, identity_of, NULL,
							 close_events };

	*grid = (struct hp_grid){ .kind = &events_kind,
				  .sorted = -1,
				  .row_count = count,
				  .rows = (void *)(uintptr_t)events };
	for (size_t i = 0; i < COLUMNS; i++) {
		if (!(columns[i].kinds & 1U << kind))
			continue;
		/* What may be long. */
		if (columns[i].put == put_message || columns[i].put == put_value)
			grid->name = grid->column_count;
		grid->columns[grid->column_count++] = columns[i].column;
	}
}
