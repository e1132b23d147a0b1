/* SPDX-License-Identifier: MIT */
/* The rows of a section about functions: which there are, in what order, and how they are drawn. */
#include "function_table.h"

#include <stdlib.h>

struct hp_measure hp_section_measure(const struct hp_section *section,
				     const struct hp_report_options *options)
{
	return (struct hp_measure){ section->kind, section->table, section->is_exclusive(options) };
}

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

bool hp_rows_select(struct hp_rows *rows, const struct hp_model *model,
		    const struct hp_report_options *options, const struct hp_measure *measure)
{
	bool excludes_caller = options->exclude_wrapper && measure->kind->has_caller;

	*rows = (struct hp_rows){
		calloc(model->function_count + HP_ROWS_BEHIND, sizeof(struct hp_table_row)), 0
	};
	if (!rows->items)
		return false;
	for (size_t i = 0; i < model->function_count; i++)
		if (measure->kind->has_row(&model->functions[i]) &&
		    !(excludes_caller && model->functions[i].is_caller))
			rows->items[rows->count++].function = &model->functions[i];
	hp_rows_tell_apart(rows->items, rows->count);
	keep_matching(rows, options);
	struct hp_column column = hp_column_sorted(measure, options->sort);
	hp_rows_sort(rows->items, rows->count, &column);
	return true;
}

/* ---- as a grid ---- */

struct functions {
	struct hp_rows rows;
	struct hp_column columns[HP_TABLE_COLUMNS_MAX];
	struct hp_totals totals;
};

static enum hp_paint write_cell(const struct hp_grid *grid, size_t row, size_t column,
				struct hp_text *text)
{
	const struct functions *functions = grid->rows;
	const struct hp_table_row *item = &functions->rows.items[row];

	const struct hp_column *of = &functions->columns[column];

	if (of->field->unit != HP_FIELD_NAME)
		return hp_kind_cell(of->field, &functions->totals, item->function, of->percent,
				    text);
	hp_row_name(item, text);
	return HP_PAINT_PLAIN;
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

/* The shown column that the rows are sorted by; -1 if it is not shown. */
static int find_sorted(const struct functions *functions, size_t count,
		       const struct hp_column *sort)
{
	for (size_t i = 0; i < count; i++) {
		const struct hp_column *column = &functions->columns[i];
		bool is_same = !hp_field_is_percentile(sort->field) ||
			       (column->percent == sort->percent && !sort->is_extreme);
		if (column->field == sort->field && is_same)
			return (int)i;
	}
	return -1;
}

bool hp_rows_grid(struct hp_grid *grid, const struct hp_rows *rows, const struct hp_model *model,
		  const struct hp_report_options *options, const struct hp_measure *measure)
{
	struct functions *functions = calloc(1, sizeof(*functions));

	*grid = (struct hp_grid){ .kind = &kind, .model = model, .rows = functions };
	if (!functions) {
		free(rows->items);
		return false;
	}
	functions->rows = *rows;
	functions->totals = hp_measure_totals(measure, model, options);
	grid->row_count = rows->count;
	grid->column_count = hp_columns_shown(model, options, measure, &functions->totals,
					      functions->columns);
	for (size_t i = 0; i < grid->column_count; i++)
		hp_kind_column(&grid->columns[i], measure->kind, functions->columns[i].field,
			       functions->columns[i].percent);
	struct hp_column sort = hp_column_sorted(measure, options->sort);
	grid->sorted = find_sorted(functions, grid->column_count, &sort);
	return true;
}

/* Rows of zeros are shown only if they are in focus. */
static bool shows_zeros(const struct hp_report_options *options, const struct hp_measure *measure)
{
	return !measure->kind->hides_zeros || options->focus[0] || options->in_console;
}

static void drop_zeros(struct hp_rows *rows, const struct hp_measure *measure)
{
	const struct hp_field *total = hp_measure_total(measure);
	size_t kept = 0;

	for (size_t i = 0; i < rows->count; i++)
		if (hp_kind_number(total, rows->items[i].function))
			rows->items[kept++] = rows->items[i];
	rows->count = kept;
}

bool hp_function_grid(struct hp_grid *grid, const struct hp_section *section,
		      const struct hp_model *model, const struct hp_report_options *options)
{
	struct hp_measure measure = hp_section_measure(section, options);
	struct hp_rows rows;

	*grid = (struct hp_grid){ .kind = NULL };
	if (!hp_rows_select(&rows, model, options, &measure))
		return false;
	if (!shows_zeros(options, &measure))
		drop_zeros(&rows, &measure);
	return hp_rows_grid(grid, &rows, model, options, &measure);
}

void hp_rows_json(const struct hp_rows *rows, size_t shown,
		  void (*put)(struct hp_json *json, const struct hp_totals *totals,
			      const struct hp_report_options *options,
			      const struct hp_function *function),
		  const struct hp_totals *totals, const struct hp_report_options *options,
		  struct hp_json *json)
{
	hp_json_member_u64(json, "total_count", rows->count);
	hp_json_member_u64(json, "included_count", shown);
	if (totals->whole)
		hp_json_member_u64(json, "percent_of", totals->whole);
	hp_json_key(json, "data");
	hp_json_begin_array(json);
	for (size_t i = 0; i < shown; i++)
		put(json, totals, options, rows->items[i].function);
	hp_json_end_array(json);
}
