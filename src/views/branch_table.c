/* SPDX-License-Identifier: MIT */
/* Branches of the call tree as rows of a table, or as objects in JSON. */
#include "branch_table.h"

#include "fields_json.h"
#include "function_json.h"

#include <stdlib.h>

static bool is_name(const struct hp_field *field)
{
	return field->unit == HP_FIELD_NAME;
}

/* The next field that has a column; NULL at the end. */
static const struct hp_field *next_column(const struct hp_field *field)
{
	while (!hp_field_is_end(field) && !field->header && !is_name(field))
		field++;
	return hp_field_is_end(field) ? NULL : field;
}

/* Calls inside those of a branch, if calls of its function are alike wherever it is called from. */
static uint64_t inner_calls(const struct hp_function *row, const struct hp_branch *branch)
{
	double calls = (double)(branch->calls + branch->open),
	       all = (double)(row->calls + row->open);

	return all > calls ? (uint64_t)((double)row->inner_calls * (calls / all))
			   : row->inner_calls;
}

struct hp_function hp_branch_function(const struct hp_model *model, const struct hp_branch *branch)
{
	static char other[] = "<other>", nobody[] = "<none>";
	struct hp_function function = { .name = branch->function == HP_NOBODY ? nobody : other };

	if (branch->function >= 0) {
		const struct hp_function *row = &model->functions[branch->function];
		function.name = row->name;
		function.file = row->file;
		function.line = row->line;
		function.kind = row->kind;
		function.module = row->module;
		function.offset = row->offset;
		function.measured = row->measured;
	}
	if (branch->function >= 0)
		function.inner_calls = inner_calls(&model->functions[branch->function], branch);
	function.calls = branch->calls;
	function.open = branch->open;
	function.total_ns = branch->total_ns;
	function.self_ns = branch->self_ns;
	return function;
}

/* For each function; NULL when memory ran out. */
static enum hp_place *find_places(const struct hp_model *model)
{
	enum hp_place *places = calloc(model->function_count + 1, sizeof(*places));
	struct hp_table_row *rows = calloc(model->function_count + 1, sizeof(*rows));

	if (places && rows) {
		for (size_t i = 0; i < model->function_count; i++)
			rows[i].function = &model->functions[i];
		hp_rows_tell_apart(rows, model->function_count);
		for (size_t i = 0; i < model->function_count; i++)
			places[rows[i].function - model->functions] = rows[i].place;
	} else {
		free(places);
		places = NULL;
	}
	free(rows);
	return places;
}

static const struct hp_field *first_column(void)
{
	return next_column(hp_kind_tree.fields);
}

size_t hp_branch_columns(struct hp_grid_column columns[HP_TABLE_COLUMNS_MAX], size_t *name)
{
	size_t count = 0;

	for (const struct hp_field *field = first_column(); field; field = next_column(field + 1)) {
		if (is_name(field))
			*name = count;
		hp_kind_column(&columns[count++], &hp_kind_tree, field, 0);
	}
	return count;
}

void hp_branch_table_init(struct hp_branch_table *rows, const struct hp_model *model)
{
	struct hp_grid_column columns[HP_TABLE_COLUMNS_MAX];
	size_t name, count = hp_branch_columns(columns, &name);

	*rows = (struct hp_branch_table){ .model = model,
					  .totals = hp_model_totals(model),
					  .cell = HP_TEXT_INIT };
	hp_table_init(&rows->table, count);
	rows->places = find_places(model);
	rows->cell.failed = !rows->places;
	for (size_t i = 0; i < count; i++) {
		rows->table.align[i] = columns[i].align;
		hp_table_cell(&rows->table, columns[i].header, HP_PAINT_BOLD);
	}
}

static const struct hp_field *field_at(size_t column)
{
	const struct hp_field *field = first_column();

	while (column--)
		field = next_column(field + 1);
	return field;
}

enum hp_paint hp_branch_cell(const struct hp_branch_table *rows, const struct hp_branch *branch,
			     const char *before, size_t column, struct hp_text *text)
{
	struct hp_function function = hp_branch_function(rows->model, branch);
	struct hp_table_row row = { .function = &function };
	const struct hp_field *field = field_at(column);

	if (!is_name(field))
		return hp_kind_cell(field, &rows->totals, &function, 0, text);
	if (branch->function >= 0 && rows->places)
		row.place = rows->places[branch->function];
	hp_text_puts(text, before);
	hp_row_name(&row, text);
	return HP_PAINT_PLAIN;
}

void hp_branch_table_add(struct hp_branch_table *rows, const struct hp_branch *branch,
			 const char *before)
{
	for (size_t i = 0; i < rows->table.columns; i++) {
		enum hp_paint paint = hp_branch_cell(rows, branch, before, i, &rows->cell);
		hp_table_text_cell(&rows->table, &rows->cell, paint);
	}
}

void hp_branch_table_free(struct hp_branch_table *rows)
{
	hp_table_free(&rows->table);
	hp_text_free(&rows->cell);
	free(rows->places);
}

void hp_branch_table_write(struct hp_branch_table *rows, const struct hp_report_options *options,
			   struct hp_text *text)
{
	hp_table_write(&rows->table, options->width, options->colour, text);
	hp_branch_table_free(rows);
}

static const char *kind_of(const struct hp_branch *branch, const struct hp_function *function)
{
	if (branch->function >= 0)
		return hp_kind_name(function->kind);
	return branch->function == HP_NOBODY ? "none" : "other";
}

void hp_branch_json(struct hp_json *json, const struct hp_model *model,
		    const struct hp_branch *branch)
{
	struct hp_function function = hp_branch_function(model, branch);
	struct hp_totals totals = hp_model_totals(model);

	hp_json_key(json, "name");
	hp_json_string(json, function.name);
	hp_json_key(json, "kind");
	hp_json_string(json, kind_of(branch, &function));
	hp_fields_json(json, hp_kind_tree.fields, 0, &totals, NULL, &function);
	if (branch->recursive) {
		hp_json_key(json, "recursive");
		hp_json_bool(json, true);
	}
	hp_json_location(json, &function);
}
