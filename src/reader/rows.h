/* SPDX-License-Identifier: MIT */
/* The rows of a kind in a model: entries, or what else its rows are. */
#ifndef HP_ROWS_H
#define HP_ROWS_H

#include "figure.h"
#include "model.h"

/** A row of any kind. */
union hp_row {
	struct hp_entry entry;
	struct hp_process process;
	struct hp_thread thread;
	struct hp_blocked_thread blocked;
	struct hp_live live;
};

/** How many places there may be rows at; a row may be missing at some of them. */
size_t hp_model_row_count(const struct hp_model *model, const struct hp_kind *kind);

/** The row at a place; NULL if that has a row of another kind. After the last place is the sum of what has no row, or
    NULL if the kind has no such sum. */
const void *hp_model_row(const struct hp_model *model, const struct hp_kind *kind, size_t at);

/** A row of which nothing is known. */
union hp_row hp_model_row_new(const struct hp_model *model, const struct hp_kind *kind);

/** Append a row, which is the model's from then on; one without a name is the sum of what has no row. Returns false when
    memory ran out; then it is the caller's. */
bool hp_model_row_append(struct hp_model *model, const struct hp_kind *kind,
			 const union hp_row *row);

/** Free a row that was not appended. */
void hp_model_row_clear(const struct hp_kind *kind, union hp_row *row);

/** Put the rows in the order that models have, after all were appended. */
void hp_model_rows_sort(struct hp_model *model, const struct hp_kind *kind);

/** The totals that figures are shares of; exclusive and has_system are left to whoever shows functions. */
struct hp_totals hp_model_totals(const struct hp_model *model);

/** Whether a model has recorded what a field is about. */
bool hp_model_knows(const struct hp_model *model, const struct hp_field *field);

#endif
