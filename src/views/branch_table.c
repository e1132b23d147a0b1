/* SPDX-License-Identifier: MIT */
/* Branches of the call tree as rows of a table, or as objects in JSON. */
#include "branch_table.h"

#include "function_json.h"

#include <stdlib.h>

static const char *const keys[] = { "calls", "total", "self", "percent", "function" };

enum {
	COLUMNS = sizeof(keys) / sizeof(*keys),
	NAME = COLUMNS - 1,
};

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
	}
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
	struct hp_row *rows = calloc(model->function_count + 1, sizeof(*rows));

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

void hp_branch_table_init(struct hp_branch_table *rows, const struct hp_model *model)
{
	*rows = (struct hp_branch_table){ .model = model, .cell = HP_TEXT_INIT };
	hp_table_init(&rows->table, COLUMNS);
	rows->table.align[NAME] = HP_ALIGN_LEFT;
	rows->places = find_places(model);
	rows->cell.failed = !rows->places;
	for (size_t i = 0; i < COLUMNS; i++) {
		struct hp_column column;
		hp_column_find(keys[i], &column);
		hp_column_header(&column, &rows->cell);
		hp_table_text_cell(&rows->table, &rows->cell, HP_PAINT_BOLD);
	}
}

void hp_branch_table_add(struct hp_branch_table *rows, const struct hp_branch *branch,
			 const char *before)
{
	struct hp_function function = hp_branch_function(rows->model, branch);
	struct hp_row row = { .function = &function };

	if (branch->function >= 0 && rows->places)
		row.place = rows->places[branch->function];
	for (size_t i = 0; i < COLUMNS; i++) {
		struct hp_column column;
		hp_column_find(keys[i], &column);
		if (i == NAME)
			hp_text_puts(&rows->cell, before);
		hp_column_cell(&column, rows->model, &row, &rows->cell);
		hp_table_text_cell(&rows->table, &rows->cell,
				   hp_column_paint(&column, rows->model, &function));
	}
}

void hp_branch_table_write(struct hp_branch_table *rows, const struct hp_report_options *options,
			   struct hp_text *text)
{
	hp_table_write(&rows->table, options->width, options->colour, text);
	hp_table_free(&rows->table);
	hp_text_free(&rows->cell);
	free(rows->places);
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

	hp_json_key(json, "name");
	hp_json_string(json, function.name);
	hp_json_key(json, "kind");
	hp_json_string(json, kind_of(branch, &function));
	hp_json_member_u64(json, "calls", function.calls);
	hp_json_member_u64(json, "open", function.open);
	hp_json_member_u64(json, "total_ns", function.total_ns);
	hp_json_member_u64(json, "self_ns", function.self_ns);
	hp_json_key(json, "percent_total");
	hp_json_double(json, hp_measure_time.share(model, &function, false));
	if (branch->recursive) {
		hp_json_key(json, "recursive");
		hp_json_bool(json, true);
	}
	hp_json_location(json, &function);
}
