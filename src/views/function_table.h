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

/** Room for this many rows after the selected ones, for time outside of functions. */
enum { HP_ROWS_BEHIND = 3 };

/**
 * Select the rows according to the options, before the section's limit.
 *
 * @param exclusive
 *         Sort by exclusive figures.
 * @return
 *         False when memory ran out. Either way, items are to be freed.
 */
bool hp_rows_select(struct hp_rows *rows, const struct hp_model *model,
		    const struct hp_report_options *options, const struct hp_measure *measure,
		    bool exclusive);

/**
 * The same rows with their columns, ready to be drawn: without rows of zeros, unless they are in focus or the program
 * is watched.
 *
 * @return
 *         False when memory ran out. Either way, the grid is to be closed.
 */
bool hp_function_grid(struct hp_grid *grid, const struct hp_model *model,
		      const struct hp_report_options *options, const struct hp_measure *measure,
		      bool exclusive);

/** The same for rows that were selected already; takes ownership of them. */
bool hp_rows_grid(struct hp_grid *grid, const struct hp_rows *rows, const struct hp_model *model,
		  const struct hp_report_options *options, const struct hp_measure *measure,
		  bool exclusive);

/** The options with the value that is 100 % in JSON, if the caller is left out. */
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
