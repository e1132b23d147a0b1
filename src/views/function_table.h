/* SPDX-License-Identifier: MIT */
/* The rows of a section about functions: which there are, in what order, and how they are drawn. */
#ifndef HP_FUNCTION_TABLE_H
#define HP_FUNCTION_TABLE_H

#include "columns.h"
#include "section.h"

struct hp_rows {
	struct hp_table_row *items;
	size_t count;
};

/** Room for this many rows after the selected ones, for time outside of functions. */
enum { HP_ROWS_BEHIND = 3 };

/** What a section about functions shows. */
struct hp_measure hp_section_measure(const struct hp_section *section,
				     const struct hp_report_options *options);

/**
 * Select the rows according to the options, before the section's limit.
 *
 * @return
 *         False when memory ran out. Either way, items are to be freed.
 */
bool hp_rows_select(struct hp_rows *rows, const struct hp_model *model,
		    const struct hp_report_options *options, const struct hp_measure *measure);

/**
 * The same rows with their columns, ready to be drawn: without rows of zeros, unless they are in focus or the program
 * is watched.
 *
 * @return
 *         False when memory ran out. Either way, the grid is to be closed.
 */
bool hp_function_grid(struct hp_grid *grid, const struct hp_section *section,
		      const struct hp_model *model, const struct hp_report_options *options);

/** The same for rows that were selected already; takes ownership of them. */
bool hp_rows_grid(struct hp_grid *grid, const struct hp_rows *rows, const struct hp_model *model,
		  const struct hp_report_options *options, const struct hp_measure *measure);

/** The members "total_count", "included_count" and "data": the first of the rows, each put by a function. */
void hp_rows_json(const struct hp_rows *rows, size_t shown,
		  void (*put)(struct hp_json *json, const struct hp_totals *totals,
			      const struct hp_report_options *options,
			      const struct hp_function *function),
		  const struct hp_totals *totals, const struct hp_report_options *options,
		  struct hp_json *json);

#endif
