/* SPDX-License-Identifier: MIT */
/* A field of a kind as the cell of a table. */
#ifndef HP_KIND_CELL_H
#define HP_KIND_CELL_H

#include "grid.h"
#include "rows.h"

/** Write the cell of a row; returns its colour. */
enum hp_paint hp_kind_cell(const struct hp_field *field, const struct hp_totals *totals,
			   const void *row, double percent, struct hp_text *text);

/** The word of a field; NULL when it is not known. */
const char *hp_kind_word(const struct hp_field *field, const void *row);

/**
 * The column of a field: its header, and the key to sort by it, which is the header in letters of any case unless the field has
 * another.
 */
void hp_kind_column(struct hp_grid_column *into, const struct hp_kind *kind,
		    const struct hp_field *field, double percent);

/** The colour of a share, in percent. */
enum hp_paint hp_share_paint(double share);

/** Write the file without its folder, and the line; nothing when they are not known. */
void hp_kind_put_place(const struct hp_entry *entry, struct hp_text *text);

#endif
