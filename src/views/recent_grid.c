/* SPDX-License-Identifier: MIT */
/* The recent calls of a function as rows. */
#include "recent_grid.h"

#include "format.h"
#include "value_text.h"

#include <inttypes.h>

static void put_duration(const struct hp_recent *call, struct hp_text *text)
{
	hp_text_puts(text, hp_format_duration(call->duration_ns).text);
}

static void put_ago(const struct hp_recent *call, struct hp_text *text)
{
	hp_text_puts(text, hp_format_duration(call->ago_ns).text);
}

static void put_tid(const struct hp_recent *call, struct hp_text *text)
{
	if (call->tid)
		hp_text_printf(text, "%" PRIu32, call->tid);
	else
		hp_text_putc(text, '-');
}

static void put_returned(const struct hp_recent *call, struct hp_text *text)
{
	hp_value_text(text, call->value_kind, call->value, call->text);
}

static const struct {
	struct hp_grid_column column;
	void (*put)(const struct hp_recent *call, struct hp_text *text);
} columns[] = {
	{ { "duration", "Duration", HP_ALIGN_RIGHT, 0 }, put_duration },
	{ { "ago", "Ago", HP_ALIGN_RIGHT, 1 }, put_ago },
	{ { "tid", "TID", HP_ALIGN_RIGHT, 3 }, put_tid },
	{ { "returned", "Returned", HP_ALIGN_LEFT, 2 }, put_returned },
};

enum { COLUMNS = sizeof(columns) / sizeof(*columns) };

static enum hp_paint write_cell(const struct hp_grid *grid, size_t row, size_t column,
				struct hp_text *text)
{
	const struct hp_recent *calls = grid->rows;

	columns[column].put(&calls[row], text);
	return HP_PAINT_PLAIN;
}

static uint64_t identity_of(const struct hp_grid *grid, size_t row)
{
	(void)grid;
	return row;
}

static void close_calls(struct hp_grid *grid)
{
	(void)grid;
}

void hp_recent_grid(struct hp_grid *grid, const struct hp_recent *calls, size_t count)
{
	static const struct hp_grid_kind kind = { write_cell, identity_of, NULL, close_calls };

	*grid = (struct hp_grid){ .kind = &kind,
				  .column_count = COLUMNS,
				  .sorted = -1,
				  .row_count = count,
				  .rows = (void *)(uintptr_t)calls };
	for (size_t i = 0; i < COLUMNS; i++)
		grid->columns[i] = columns[i].column;
}
