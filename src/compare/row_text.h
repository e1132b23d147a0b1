/* SPDX-License-Identifier: MIT */
/* Shared by the table and the markdown format: which columns a section shows, and the text of its cells. */
#ifndef HP_ROW_TEXT_H
#define HP_ROW_TEXT_H

#include "comparison.h"
#include "table.h"
#include "text.h"

/** Where a section has no such column. */
#define HP_NO_COLUMN SIZE_MAX

enum {
	/** Beside the name and the verdict. */
	HP_SHOWN_MAX = HP_TABLE_COLUMNS_MAX - 2,
};

/** Column indexes in the section; the index after the last stands for the interval of the deciding figure. */
struct hp_shown_columns {
	size_t items[HP_SHOWN_MAX];
	size_t count;
};

/** Some rows of a section. */
struct hp_shown_rows {
	const struct hp_compared_row *first;
	size_t count;
};

/** The rows that have changed, which come first. */
struct hp_shown_rows hp_compare_changed(const struct hp_compared_section *section);

/** The column of the figure that decides; HP_NO_COLUMN when none does. */
size_t hp_compare_deciding(const struct hp_compared_section *section);

/**
 * Choose columns that have a value, the deciding one first. It always stays, as do columns of rank 0. Then follow, if
 * there is room: exact figures that changed, the interval, times that changed, and the rest by rank.
 *
 * @param width
 *         Total width of the columns, plus three for each; 0 for any.
 * @param most
 *         How many there may be at most, up to HP_SHOWN_MAX.
 */
void hp_compare_choose(const struct hp_compared_section *section, struct hp_shown_rows rows,
		       size_t width, size_t most, struct hp_shown_columns *shown);

const char *hp_compare_header(const struct hp_compared_section *section, size_t column);

/** Write a cell; returns its colour. */
enum hp_paint hp_compare_put_cell(const struct hp_compared_section *section,
				  const struct hp_compared_row *row, size_t column,
				  struct hp_text *text);

/** Write the verdict of a row: "slower", "same, more calls", "new"; returns its colour. */
enum hp_paint hp_compare_put_verdict(const struct hp_compared_section *section,
				     const struct hp_compared_row *row, struct hp_text *text);

/** Whether an exact figure varies between runs of a side; it is marked with ~. */
bool hp_compare_is_unstable(const struct hp_compared_section *section,
			    const struct hp_compared_row *row, size_t column);

/** Whether another row has the same name, so that the location must be shown. */
bool hp_compare_has_twin(const struct hp_compared_section *section,
			 const struct hp_compared_row *row);

/** "main.c:12", without the folder; nothing when it is not known. */
void hp_compare_put_place(const struct hp_compared_row *row, struct hp_text *text);

#endif
