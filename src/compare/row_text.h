/* SPDX-License-Identifier: MIT */
/* What the tables for people have in common: which columns a section shows, and what its cells say. */
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

/** By their place in the section; that behind the last stands for the interval of the deciding figure. */
struct hp_shown_columns {
	size_t items[HP_SHOWN_MAX];
	size_t count;
};

/** Some rows of a section. */
struct hp_shown_rows {
	const struct hp_compared_row *first;
	size_t count;
};

/** The rows that have changed, which stand first. */
struct hp_shown_rows hp_compare_changed(const struct hp_compared_section *section);

/** The column of the figure that decides; HP_NO_COLUMN when none does. */
size_t hp_compare_deciding(const struct hp_compared_section *section);

/**
 * Choose columns: those that have a value, what decides first, as far as there is room. That, and what has the rank 0,
 * stay; then comes what is exact and has changed, the interval, times that have changed, and the rest by rank, each if
 * there is room for it.
 *
 * @param width
 *         That they may take together, three more each; 0 for any.
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

/** Whether its figure is exact and yet differs between runs of a side; it is marked so. */
bool hp_compare_is_unstable(const struct hp_compared_section *section,
			    const struct hp_compared_row *row, size_t column);

/** Whether another row has the same name: then the place must tell them apart. */
bool hp_compare_has_twin(const struct hp_compared_section *section,
			 const struct hp_compared_row *row);

/** "main.c:12", without the folder; nothing when it is not known. */
void hp_compare_put_place(const struct hp_compared_row *row, struct hp_text *text);

#endif
