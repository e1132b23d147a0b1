/* SPDX-License-Identifier: MIT */
/* The rows of a kind that a section shows. */
#ifndef HP_KIND_ROWS_H
#define HP_KIND_ROWS_H

#include "kind_cell.h"
#include "section.h"

struct hp_kind_row {
	/** The row of the model, as in rows.h; it comes first, for hp_kind.order. */
	const void *row;
	/** Sort key: a name, or a figure; and the position before sorting. */
	const char *name;
	double weight;
	size_t nth;
	/** Another row has the same name. */
	bool needs_place;
};

struct hp_kind_rows {
	const struct hp_kind *kind;
	/** JSON only: the section, and what it prepared for more members of rows, or NULL. */
	const struct hp_section *section;
	void *more;
	/** Rows, with room for one more. */
	struct hp_kind_row *items;
	size_t count;
	/** The number of rows that are shown, from the first on. */
	size_t shown;
	/** Rows that are groups of others; NULL if there are none. */
	union hp_row *groups;
	/** Totals that figures are shares of. */
	struct hp_totals totals;
	/** The sum of rows that are not shown, if the kind has one. */
	union hp_row rest;
	/** The fields that are shown, by column; and the percentile of each that is one. */
	const struct hp_field *fields[HP_TABLE_COLUMNS_MAX];
	double percents[HP_TABLE_COLUMNS_MAX];
};

/** Whether a model has any row of a kind; with `needs`, one in which that slot is not 0. */
bool hp_kind_has_rows(const struct hp_kind *kind, const struct hp_model *model, unsigned needs);

/** Choose the rows that pass the filter, in their order. False when memory ran out; to be freed with free(items). */
bool hp_kind_rows_select(struct hp_kind_rows *rows, const struct hp_section *section,
			 const struct hp_model *model, const struct hp_report_options *options,
			 bool in_table);

typedef size_t hp_limit(const struct hp_section *section, const struct hp_report_options *options,
			size_t rows);

/** Show no more rows than a limit, hp_section_limit or hp_section_json_limit, allows; add the others to the rest. */
void hp_kind_rows_limit(struct hp_kind_rows *rows, const struct hp_section *section,
			const struct hp_report_options *options, hp_limit *limit);

/** The rows of a section as a grid, as in struct hp_section. */
bool hp_kind_grid_open(struct hp_grid *grid, const struct hp_section *section,
		       const struct hp_model *model, const struct hp_report_options *options);

/** Write a whole section in JSON. */
void hp_kind_json(const struct hp_section *section, const struct hp_model *model,
		  const struct hp_report_options *options, struct hp_json *json);

#endif
