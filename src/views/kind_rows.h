/* SPDX-License-Identifier: MIT */
/* The rows of a kind that a section shows. */
#ifndef HP_KIND_ROWS_H
#define HP_KIND_ROWS_H

#include "kind_cell.h"
#include "section.h"

struct hp_kind_row {
	const struct hp_entry *entry;
	/** What it is sorted by, and where it was before. */
	double weight;
	size_t nth;
	/** Another has the same name. */
	bool needs_place;
};

struct hp_kind_rows {
	struct hp_kind_row *items;
	size_t count;
	/** The fields that are shown, by column; and the percentile of each that is one. */
	const struct hp_field *fields[HP_TABLE_COLUMNS_MAX];
	double percents[HP_TABLE_COLUMNS_MAX];
};

/** Whether a model has any row of a kind; with `needs`, one in which that slot is not 0. */
bool hp_kind_has_rows(const struct hp_kind *kind, const struct hp_model *model, unsigned needs);

/** Choose the rows that pass the filter, in their order. False when memory ran out; to be freed with free(items). */
bool hp_kind_rows_select(struct hp_kind_rows *rows, const struct hp_kind *kind,
			 const struct hp_model *model, const struct hp_report_options *options);

/** The rows of a section as a grid, as in struct hp_section. */
bool hp_kind_grid_open(struct hp_grid *grid, const struct hp_section *section,
		       const struct hp_model *model, const struct hp_report_options *options);

/** All of a section in JSON. */
void hp_kind_json(const struct hp_section *section, const struct hp_model *model,
		  const struct hp_report_options *options, struct hp_json *json);

#endif
