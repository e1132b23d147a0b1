/* SPDX-License-Identifier: MIT */
/* The channels, streams, futures, loops or values that a section shows. */
#ifndef HP_FLOW_ROWS_H
#define HP_FLOW_ROWS_H

#include "flow_columns.h"
#include "section.h"

struct hp_flow_row {
	const struct hp_flow *flow;
	/** What it is sorted by, and where it was before. */
	double weight;
	size_t nth;
	/** Another has the same name. */
	bool needs_place;
};

struct hp_flow_rows {
	enum hp_flow_section section;
	struct hp_flow_row *items;
	size_t count;
	/** The columns that are shown, by their place in the table of them; and of percentiles, which. */
	uint8_t columns[HP_TABLE_COLUMNS_MAX];
	double percents[HP_TABLE_COLUMNS_MAX];
};

/** What is different between the sections. */
struct hp_flow_kind {
	/** The heading of names; and what the times of a row are called in JSON. */
	const char *header;
	const char *times;
	const char *sentence;
	/** The kinds of rows: an enum hp_site_kind, from and to. */
	uint8_t first;
	uint8_t last;
	/** Bits: the sections whose columns its JSON has. */
	uint8_t sections;
};

extern const struct hp_flow_kind hp_flow_kinds[HP_FLOW_SECTIONS];

/** Whether there is any row for a section. */
bool hp_flow_has_rows(const struct hp_model *model, enum hp_flow_section section);

/** Choose the rows that pass the filter, in their order. False when memory ran out; to be freed with free(items). */
bool hp_flow_rows_select(struct hp_flow_rows *rows, enum hp_flow_section section,
			 const struct hp_model *model, const struct hp_report_options *options);

/** The rows of a section as rows and columns, as in struct hp_section. */
bool hp_flow_grid_open(struct hp_grid *grid, enum hp_flow_section section,
		       const struct hp_model *model, const struct hp_report_options *options);

/** All of a section in JSON. */
void hp_flow_json(const struct hp_flow_rows *rows, size_t shown, const struct hp_model *model,
		  const struct hp_report_options *options, struct hp_json *json);

#endif
