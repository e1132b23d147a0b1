/* SPDX-License-Identifier: MIT */
/* A grid on the screen. */
#include "list.h"

#include "arithmetic.h"
#include "curses_library.h"
#include "terminal.h"

#include <stdlib.h>
#include <string.h>

enum {
	GAP = 2,
	/* Names have so many columns in any case; and so many rather than a column of at least this rank beside them. */
	NAME_MIN = 16,
	NAME_WANTED = 25,
	LESSER_RANK = 4,
};

/* ---- rows ---- */

static bool matches(const struct hp_grid *grid, size_t row, const struct hp_focus *focus,
		    struct hp_text *cell)
{
	cell->length = 0;
	grid->kind->cell(grid, row, grid->name, cell);
	return hp_focus_matches(focus, cell->bytes ? cell->bytes : "");
}

/* Summary rows stay at the end, and are hidden by a filter. */
static void take_rows(struct list *list, const struct hp_grid *grid, const char *filter)
{
	size_t plain = grid->row_count - grid->tail;
	char problem[HP_PROBLEM_SIZE];
	struct hp_text cell = HP_TEXT_INIT;
	struct hp_focus focus;
	/* An invalid /regex/ filters nothing. */
	bool is_open = *filter && hp_focus_open(&focus, filter, problem) == 0;

	list->count = 0;
	for (size_t i = 0; i < plain; i++) {
		size_t row = list->reversed ? plain - 1 - i : i;
		if (!is_open || matches(grid, row, &focus, &cell))
			list->rows[list->count++] = row;
	}
	for (size_t row = plain; !is_open && row < grid->row_count; row++)
		list->rows[list->count++] = row;
	if (is_open)
		hp_focus_close(&focus);
	hp_text_free(&cell);
}

static void remember(struct list *list, const struct hp_grid *grid)
{
	if (list->count)
		list->identity = grid->kind->identity(grid, list->rows[list->selected]);
}

/* Initially the first row; later the same row, wherever it moved. */
static void find_selected(struct list *list, const struct hp_grid *grid)
{
	if (list->selected >= list->count)
		list->selected = list->count ? list->count - 1 : 0;
	for (size_t i = 0; list->selected && i < list->count; i++) {
		if (grid->kind->identity(grid, list->rows[i]) == list->identity) {
			list->selected = i;
			break;
		}
	}
	remember(list, grid);
}

bool list_fill(struct list *list, const struct hp_grid *grid, const char *filter)
{
	size_t *rows = reallocarray(list->rows, grid->row_count + 1, sizeof(*rows));

	if (!rows)
		return false;
	list->rows = rows;
	take_rows(list, grid, filter);
	find_selected(list, grid);
	return true;
}

void list_move(struct list *list, const struct hp_grid *grid, long rows)
{
	long last = list->count ? (long)list->count - 1 : 0;
	long selected = (long)list->selected + rows;

	if (selected > last)
		selected = last;
	list->selected = selected < 0 ? 0 : (size_t)selected;
	remember(list, grid);
}

bool list_select_line(struct list *list, const struct hp_grid *grid, int line)
{
	int row = line - list->area.line - 1;

	if (row < 0 || row >= list->area.lines - 1 || list->top + (size_t)row >= list->count)
		return false;
	list->selected = list->top + (size_t)row;
	remember(list, grid);
	return true;
}

long list_selected(const struct list *list)
{
	return list->selected < list->count ? (long)list->rows[list->selected] : -1;
}

/* ---- columns ---- */

long list_column_at(const struct list *list, int column)
{
	for (size_t i = 0; i < list->drawn_count; i++)
		if (column >= list->starts[i] && column < list->starts[i + 1])
			return (long)list->drawn[i];
	return -1;
}

static void widen(struct list *list, size_t column, const char *text)
{
	int width = terminal_width(text);

	if (width > list->widths[column])
		list->widths[column] = width;
}

static void find_widths(struct list *list, const struct hp_grid *grid, size_t shown)
{
	struct hp_text cell = HP_TEXT_INIT;

	if (list->column_count != grid->column_count)
		memset(list->widths, 0, sizeof(list->widths));
	list->column_count = grid->column_count;
	for (size_t i = 0; i < grid->column_count; i++) {
		widen(list, i, grid->columns[i].header);
		for (size_t row = list->top; row < list->top + shown; row++) {
			cell.length = 0;
			grid->kind->cell(grid, list->rows[row], i, &cell);
			widen(list, i, cell.length ? cell.bytes : "");
		}
	}
	hp_text_free(&cell);
}

/* The column with the highest rank that is still there; that of the names if there is no other. */
static size_t find_worst(const struct hp_grid *grid, const bool gone[HP_TABLE_COLUMNS_MAX])
{
	size_t worst = grid->name;

	for (size_t i = 0; i < grid->column_count; i++)
		if (!gone[i] && i != grid->name &&
		    (worst == grid->name || grid->columns[i].rank >= grid->columns[worst].rank))
			worst = i;
	return worst;
}

/* Choose the columns that fit, dropping those with the highest rank first. Returns the width left for names. */
static int choose_columns(struct list *list, const struct hp_grid *grid)
{
	bool gone[HP_TABLE_COLUMNS_MAX] = { false };
	int longest = list->widths[grid->name], room = COLS + longest + GAP;

	for (size_t i = 0; i < grid->column_count; i++)
		room -= list->widths[i] + GAP;
	while (room < NAME_MIN || (room < NAME_WANTED && room < longest)) {
		size_t worst = find_worst(grid, gone);
		if (worst == grid->name ||
		    (room >= NAME_MIN && grid->columns[worst].rank < LESSER_RANK))
			break;
		gone[worst] = true;
		room += list->widths[worst] + GAP;
	}
	list->drawn_count = 0;
	for (size_t i = 0; i < grid->column_count; i++)
		if (!gone[i])
			list->drawn[list->drawn_count++] = i;
	return room;
}

static int width_of(const struct list *list, size_t nth)
{
	return list->starts[nth + 1] - list->starts[nth] - GAP;
}

static void place_columns(struct list *list, const struct hp_grid *grid)
{
	int room = choose_columns(list, grid), at = 0;

	for (size_t i = 0; i < list->drawn_count; i++) {
		int width = list->widths[list->drawn[i]];
		bool is_name = list->drawn[i] == grid->name;
		if (is_name && width < NAME_MIN && grid->columns[grid->name].align == HP_ALIGN_LEFT)
			width = NAME_MIN;
		if (is_name && width > room)
			width = room;
		list->starts[i] = at;
		at += width + GAP;
	}
	list->starts[list->drawn_count] = at;
}

/* ---- drawing ---- */

static void put_aligned(int line, int column, int width, enum hp_align align, enum style style,
			const char *text)
{
	if (align == HP_ALIGN_RIGHT)
		terminal_put_right(line, column, width, style, text);
	else
		terminal_put(line, column, width, style, text);
}

static void draw_heading(const struct list *list, const struct hp_grid *grid)
{
	for (size_t i = 0; i < list->drawn_count; i++) {
		const struct hp_grid_column *column = &grid->columns[list->drawn[i]];
		bool sorted = grid->sorted == (int)list->drawn[i];
		put_aligned(list->area.line, list->starts[i], width_of(list, i), column->align,
			    sorted ? STYLE_CHOSEN : STYLE_BOLD, column->header);
	}
}

static void draw_row(const struct list *list, const struct hp_grid *grid, size_t nth, int line)
{
	bool chosen = nth == list->selected;
	struct hp_text cell = HP_TEXT_INIT;

	if (chosen)
		terminal_put(line, 0, COLS, STYLE_CHOSEN, "");
	for (size_t i = 0; i < list->drawn_count; i++) {
		size_t column = list->drawn[i];
		cell.length = 0;
		enum hp_paint paint = grid->kind->cell(grid, list->rows[nth], column, &cell);
		put_aligned(line, list->starts[i], width_of(list, i), grid->columns[column].align,
			    chosen ? STYLE_CHOSEN : (enum style)paint,
			    cell.length ? cell.bytes : "");
	}
	hp_text_free(&cell);
}

/* Scroll so that the selected row is visible. */
static void scroll_to_selected(struct list *list, size_t room)
{
	if (list->selected < list->top)
		list->top = list->selected;
	if (list->selected >= list->top + room)
		list->top = list->selected - room + 1;
	if (list->top + room > list->count)
		list->top = hp_minus(list->count, room);
}

void list_draw(struct list *list, const struct hp_grid *grid, struct area area)
{
	size_t room = area.lines > 1 ? (size_t)area.lines - 1 : 0;

	list->area = area;
	scroll_to_selected(list, room);
	size_t shown = list->count - list->top < room ? list->count - list->top : room;
	find_widths(list, grid, shown);
	place_columns(list, grid);
	draw_heading(list, grid);
	for (size_t i = 0; i < shown; i++)
		draw_row(list, grid, list->top + i, area.line + 1 + (int)i);
}

void list_free(struct list *list)
{
	free(list->rows);
	*list = (struct list){ .rows = NULL };
}
