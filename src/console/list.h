/* SPDX-License-Identifier: MIT */
/* A scrollable list: a grid on the screen, with a selected row and an order chosen by the user. */
#ifndef CONSOLE_LIST_H
#define CONSOLE_LIST_H

#include "grid.h"

enum {
	LIST_ROWS_MAX = 512,
};

/** Where on the screen. */
struct area {
	int line;
	int lines;
};

struct list {
	/** The key of the column the rows are sorted by; empty for the section's own. */
	char sort[HP_GRID_HEADER];
	bool reversed;
	/** The selected row: its identity, and its present position. */
	uint64_t identity;
	size_t selected;
	/** The first row on the screen. */
	size_t top;
	/** The shown rows, as indexes into the grid. */
	size_t *rows;
	size_t count;
	/** The largest width of each column so far, so that columns do not jump; and of which columns. */
	int widths[HP_TABLE_COLUMNS_MAX];
	size_t column_count;
	/** As last drawn: the start of each column and its index in the grid; and where the rows are. */
	int starts[HP_TABLE_COLUMNS_MAX + 1];
	size_t drawn[HP_TABLE_COLUMNS_MAX];
	size_t drawn_count;
	struct area area;
};

/** Take the rows of a grid that match a filter, and find the selected one again. False when memory ran out. */
bool list_fill(struct list *list, const struct hp_grid *grid, const char *filter);

/** Move the selection by so many rows. */
void list_move(struct list *list, const struct hp_grid *grid, long rows);

/** Select a row on the screen, by its line; returns whether there is one. */
bool list_select_line(struct list *list, const struct hp_grid *grid, int line);

/** The number in the grid of the selected row; -1 for none. */
long list_selected(const struct list *list);

/** Which column of the grid is drawn at a column of the screen; -1 for none. */
long list_column_at(const struct list *list, int column);

/** Draw the heading and as many rows as there is room for. */
void list_draw(struct list *list, const struct hp_grid *grid, struct area area);

void list_free(struct list *list);

#endif
