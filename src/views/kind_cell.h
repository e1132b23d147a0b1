/* SPDX-License-Identifier: MIT */
/* A field of a kind as the cell of a table. */
#ifndef HP_KIND_CELL_H
#define HP_KIND_CELL_H

#include "figure.h"
#include "rows.h"
#include "table.h"

/** Write the cell of a row; returns its colour. */
enum hp_paint hp_kind_cell(const struct hp_field *field, const struct hp_model *model,
			   const void *row, double percent, struct hp_text *text);

/** The word of a field; NULL when it is not known. */
const char *hp_kind_word(const struct hp_field *field, const void *row);

/** The time that rates are an average over; 0 if the program is watched. */
uint64_t hp_kind_elapsed(const struct hp_model *model);

/** Write the file without its folder, and the line; nothing when they are not known. */
void hp_kind_put_place(const struct hp_entry *entry, struct hp_text *text);

#endif
