/* SPDX-License-Identifier: MIT */
/* The rows of a section about functions: which there are, in what order, and how they are drawn. */
#ifndef HP_FUNCTION_TABLE_H
#define HP_FUNCTION_TABLE_H

#include "columns.h"
#include "grid.h"
#include "json_writer.h"

struct hp_rows {
	struct hp_row *items;
	size_t count;
};

/** There is room for so many more rows behind those that were selected: for what is in no function. */
enum { HP_ROWS_BEHIND = 3 };

/**
 * The rows that the options ask for, before the section's limit.
 *
 * @param exclusive
 *         Sort by what functions did themselves.
 * @return
 *         False when memory ran out. Either way, items are to be freed.
 */
bool hp_rows_select(struct hp_rows *rows, const struct hp_model *model,
		    const struct hp_report_options *options, const struct hp_measure *measure,
		    bool exclusive);

/**
 * The same rows with their columns, ready to be drawn: without those that say nothing, unless they are in focus
 * or somebody watches.
 *
 * @return
 *         False when memory ran out. Either way, the grid is to be closed.
 */
bool hp_function_grid(struct hp_grid *grid, const struct hp_model *model,
		      const struct hp_report_options *options, const struct hp_measure *measure,
		      bool exclusive);

/** The same of rows that have been selected, which are taken over. */
bool hp_rows_grid(struct hp_grid *grid, const struct hp_rows *rows, const struct hp_model *model,
		  const struct hp_report_options *options, const struct hp_measure *measure,
		  bool exclusive);

/** The options with what is 100 % in JSON, where the caller is left out. */
struct hp_report_options hp_rows_whole(const struct hp_model *model,
				       const struct hp_report_options *options,
				       const struct hp_measure *measure, bool exclusive);

/** The members "total_count", "included_count" and "data": the first of the rows, each put by a function. */
void hp_rows_json(const struct hp_rows *rows, size_t shown,
		  void (*put)(struct hp_json *json, const struct hp_model *model,
			      const struct hp_report_options *options,
			      const struct hp_function *function),
		  const struct hp_model *model, const struct hp_report_options *options,
		  struct hp_json *json);

#endif
