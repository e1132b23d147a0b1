/* SPDX-License-Identifier: MIT */
/*
 * A table drawn in plain text.
 *
 *	+----------+-------+
 *	| Function | Calls |
 *	+----------+-------+
 *	| main     |     1 |
 *	+----------+-------+
 *
 * Cells are added from left to right and from the header down. Widths count characters, not bytes.
 */
#ifndef HP_TABLE_H
#define HP_TABLE_H

#include "text.h"

#include <stdbool.h>
#include <stddef.h>

enum { HP_TABLE_COLUMNS_MAX = 32 };

enum hp_align {
	HP_ALIGN_RIGHT,
	HP_ALIGN_LEFT,
};

/** The colour of a cell. */
enum hp_paint {
	HP_PAINT_PLAIN,
	HP_PAINT_BOLD,
	HP_PAINT_TITLE,
	HP_PAINT_WARM,
	HP_PAINT_HOT,
	HP_PAINT_FINE,
};

struct hp_cell {
	/** Where its text begins. */
	size_t start;
	size_t width;
	enum hp_paint paint;
};

struct hp_table {
	size_t columns;
	/** Alignment of each column; set before the table is drawn. */
	enum hp_align align[HP_TABLE_COLUMNS_MAX];
	/** If the table is too wide, columns with the highest rank are left out first; 0 for one that stays. */
	unsigned rank[HP_TABLE_COLUMNS_MAX];
	/** The rest is private to the table. */
	struct hp_cell *cells;
	size_t cell_count;
	size_t cell_room;
	/** The cells' texts, with a NUL after each. */
	struct hp_text texts;
};

/** @param columns At most HP_TABLE_COLUMNS_MAX. All are aligned to the right. */
void hp_table_init(struct hp_table *table, size_t columns);

/**
 * Set the header: column names, each followed by a NUL. The first `words` columns have text, and are aligned to the
 * left.
 */
void hp_table_head(struct hp_table *table, const char *names, size_t words);

/** Add a cell; whatever of its text is not printable is replaced. Out of memory is remembered. */
void hp_table_cell(struct hp_table *table, const char *string, enum hp_paint paint);

/** Add a cell of what was written to a text, which is empty afterwards. */
void hp_table_text_cell(struct hp_table *table, struct hp_text *cell, enum hp_paint paint);

/**
 * Draw the table, without columns in which every cell but the header is "-".
 *
 * @param width
 *         If the table is wider, the texts of columns that are aligned to the left are shortened in the
 *         middle, and columns that have a rank are left out, which a line below says; 0 for any width.
 * @param colour
 *         Paint the cells.
 */
void hp_table_write(const struct hp_table *table, size_t width, bool colour, struct hp_text *text);

void hp_table_free(struct hp_table *table);

/** Add a string in a colour, or as it is. It is not made printable. */
void hp_paint(struct hp_text *text, const char *string, enum hp_paint paint, bool colour);

#endif
