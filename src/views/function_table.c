/* SPDX-License-Identifier: MIT */
/* The rows of a section about functions: which there are, in what order, and how they are drawn. */
#include "function_table.h"

#include "section.h"

#include <stdio.h>
#include <stdlib.h>

/* Remove the rows that --focus or --exclude leave out; the order stays. */
static void keep_matching(struct hp_rows *rows, const struct hp_report_options *options)
{
	struct hp_filter filter;
	size_t kept = 0;

	hp_filter_open(&filter, options);
	for (size_t i = 0; i < rows->count; i++)
		if (hp_filter_passes(&filter, rows->items[i].function->name))
			rows->items[kept++] = rows->items[i];
	hp_filter_close(&filter);
	rows->count = kept;
}

static struct hp_column sort_column(const struct hp_report_options *options,
				    const struct hp_measure *measure, bool exclusive)
{
	struct hp_column column;

	if (hp_column_find(options->sort, &column) ||
	    (column.kind->shown & HP_SHOWN_FOLLOWED && measure->shown != HP_SHOWN_ALLOC) ||
	    (column.kind->shown & HP_SHOWN_SYSTEM && measure->shown != HP_SHOWN_CPU))
		hp_column_find("total", &column);
	column.measure = measure;
	column.exclusive = exclusive;
	return column;
}

bool hp_rows_select(struct hp_rows *rows, const struct hp_model *model,
		    const struct hp_report_options *options, const struct hp_measure *measure,
		    bool exclusive)
{
	bool excludes_caller = options->exclude_wrapper && measure->has_caller;

	*rows = (struct hp_rows){
		calloc(model->function_count + HP_ROWS_BEHIND, sizeof(struct hp_row)), 0
	};
	if (!rows->items)
		return false;
	for (size_t i = 0; i < model->function_count; i++)
		if (measure->has_row(&model->functions[i]) &&
		    !(excludes_caller && model->functions[i].is_caller))
			rows->items[rows->count++].function = &model->functions[i];
	hp_rows_tell_apart(rows->items, rows->count);
	keep_matching(rows, options);
	struct hp_column column = sort_column(options, measure, exclusive);
	hp_rows_sort(rows->items, rows->count, &column);
	return true;
}

/* ---- as a grid ---- */

struct functions {
	struct hp_rows rows;
	struct hp_column columns[HP_COLUMNS_MAX];
};

static enum hp_paint write_cell(const struct hp_grid *grid, size_t row, size_t column,
				struct hp_text *text)
{
	const struct functions *functions = grid->rows;
	const struct hp_row *item = &functions->rows.items[row];

	hp_column_cell(&functions->columns[column], grid->model, item, text);
	return hp_column_paint(&functions->columns[column], grid->model, item->function);
}

static const struct hp_function *function_of(const struct hp_grid *grid, size_t row)
{
	const struct functions *functions = grid->rows;

	return functions->rows.items[row].function;
}

static uint64_t identity_of(const struct hp_grid *grid, size_t row)
{
	const struct hp_function *function = function_of(grid, row);

	return hp_grid_identity(function->name, function->line) ^ function->offset;
}

static void close_functions(struct hp_grid *grid)
{
	struct functions *functions = grid->rows;

	if (functions)
		free(functions->rows.items);
	free(functions);
}

static const struct hp_grid_kind kind = { write_cell, identity_of, function_of, close_functions };

static void describe_column(struct hp_grid_column *into, const struct hp_column *column)
{
	bool is_name = column->kind->unit == HP_UNIT_NAME;
	struct hp_text header = HP_TEXT_INIT;

	*into = (struct hp_grid_column){ .align = is_name ? HP_ALIGN_LEFT : HP_ALIGN_RIGHT,
					 .rank = column->kind->rank };
	hp_column_header(column, &header);
	snprintf(into->header, sizeof(into->header), "%s", header.bytes ? header.bytes : "");
	if (column->kind->header[0])
		snprintf(into->key, sizeof(into->key), "%s", column->kind->key);
	else
		snprintf(into->key, sizeof(into->key), "p%s",
			 hp_format_decimal(column->percent).text);
	hp_text_free(&header);
}

/* Two columns may show the same figure in two ways: prefer the requested one, if it is shown. */
static int find_sorted(const struct functions *functions, size_t count,
		       const struct hp_column *sort)
{
	int found = -1;

	for (size_t i = count; i-- > 0;) {
		const struct hp_column *column = &functions->columns[i];
		if (column->kind->value != sort->kind->value ||
		    (!column->kind->header[0] && column->percent != sort->percent))
			continue;
		if (column->kind == sort->kind)
			return (int)i;
		found = (int)i;
	}
	return found;
}

bool hp_rows_grid(struct hp_grid *grid, const struct hp_rows *rows, const struct hp_model *model,
		  const struct hp_report_options *options, const struct hp_measure *measure,
		  bool exclusive)
{
	struct functions *functions = calloc(1, sizeof(*functions));

	*grid = (struct hp_grid){ .kind = &kind, .model = model, .rows = functions };
	if (!functions) {
		free(rows->items);
		return false;
	}
	functions->rows = *rows;
	grid->row_count = rows->count;
	grid->column_count = hp_columns_shown(model, options, measure, exclusive,
					      functions->columns);
	for (size_t i = 0; i < grid->column_count; i++)
		describe_column(&grid->columns[i], &functions->columns[i]);
	struct hp_column sort = sort_column(options, measure, exclusive);
	grid->sorted = find_sorted(functions, grid->column_count, &sort);
	return true;
}

/* Rows of zeros are shown only if they are in focus. */
static bool shows_zeros(const struct hp_report_options *options, const struct hp_measure *measure)
{
	return !measure->zero_is_nothing || options->focus[0] || options->with_zeros;
}

static void drop_zeros(struct hp_rows *rows, const struct hp_measure *measure, bool exclusive)
{
	size_t kept = 0;

	for (size_t i = 0; i < rows->count; i++)
		if (measure->total(rows->items[i].function, exclusive))
			rows->items[kept++] = rows->items[i];
	rows->count = kept;
}

bool hp_function_grid(struct hp_grid *grid, const struct hp_model *model,
		      const struct hp_report_options *options, const struct hp_measure *measure,
		      bool exclusive)
{
	struct hp_rows rows;

	*grid = (struct hp_grid){ .kind = NULL };
	if (!hp_rows_select(&rows, model, options, measure, exclusive))
		return false;
	if (!shows_zeros(options, measure))
		drop_zeros(&rows, measure, exclusive);
	return hp_rows_grid(grid, &rows, model, options, measure, exclusive);
}

struct hp_report_options hp_rows_whole(const struct hp_model *model,
				       const struct hp_report_options *options,
				       const struct hp_measure *measure, bool exclusive)
{
	struct hp_report_options own = *options;

	if (options->exclude_wrapper)
		own.whole = hp_measure_rest(measure, model, exclusive);
	return own;
}

void hp_rows_json(const struct hp_rows *rows, size_t shown,
		  void (*put)(struct hp_json *json, const struct hp_model *model,
			      const struct hp_report_options *options,
			      const struct hp_function *function),
		  const struct hp_model *model, const struct hp_report_options *options,
		  struct hp_json *json)
{
	hp_json_member_u64(json, "total_count", rows->count);
	hp_json_member_u64(json, "included_count", shown);
	if (options->whole)
		hp_json_member_u64(json, "percent_of", options->whole);
	hp_json_key(json, "data");
	hp_json_begin_array(json);
	for (size_t i = 0; i < shown; i++)
		put(json, model, options, rows->items[i].function);
	hp_json_end_array(json);
}
