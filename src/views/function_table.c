/* SPDX-License-Identifier: MIT */
/* The rows of a section about functions: which there are, in what order, and how they are drawn. */
#include "function_table.h"

#include "section.h"
#include "table.h"

#include <stdlib.h>

/* Drop the rows that the user does not ask for, or asks not to see; the order stays. */
static void keep_matching(struct hp_rows *rows, const char *wanted, bool matching)
{
	char problem[HP_PROBLEM_SIZE];
	struct hp_focus focus;
	size_t kept = 0;

	if (hp_focus_open(&focus, wanted, problem) == 0) {
		for (size_t i = 0; i < rows->count; i++)
			if (hp_focus_matches(&focus, rows->items[i].function->name) == matching)
				rows->items[kept++] = rows->items[i];
		hp_focus_close(&focus);
	}
	rows->count = kept;
}

static struct hp_column sort_column(const struct hp_report_options *options,
				    const struct hp_measure *measure, bool exclusive)
{
	struct hp_column column;

	if (hp_column_find(options->sort, &column) ||
	    (column.kind->shown == HP_SHOWN_OF_BLOCKS && !measure->is_alloc))
		hp_column_find("total", &column);
	column.measure = measure;
	column.exclusive = exclusive;
	return column;
}

bool hp_rows_select(struct hp_rows *rows, const struct hp_model *model,
		    const struct hp_report_options *options, const struct hp_measure *measure,
		    bool exclusive)
{
	*rows = (struct hp_rows){ calloc(model->function_count + 1, sizeof(struct hp_row)), 0 };
	if (!rows->items)
		return false;
	for (size_t i = 0; i < model->function_count; i++)
		if (measure->has_row(&model->functions[i]))
			rows->items[rows->count++].function = &model->functions[i];
	hp_rows_tell_apart(rows->items, rows->count);
	if (options->focus[0])
		keep_matching(rows, options->focus, true);
	if (options->exclude[0])
		keep_matching(rows, options->exclude, false);
	struct hp_column column = sort_column(options, measure, exclusive);
	hp_rows_sort(rows->items, rows->count, &column);
	return true;
}

static void fill(struct hp_table *table, const struct hp_model *model,
		 const struct hp_column *columns, const struct hp_row *rows, size_t count)
{
	struct hp_text cell = HP_TEXT_INIT;

	for (size_t i = 0; i < table->columns; i++) {
		table->align[i] = columns[i].kind->align;
		hp_column_header(&columns[i], &cell);
		hp_table_text_cell(table, &cell, HP_PAINT_BOLD);
	}
	for (size_t row = 0; row < count; row++) {
		for (size_t i = 0; i < table->columns; i++) {
			hp_column_cell(&columns[i], model, &rows[row], &cell);
			hp_table_text_cell(table, &cell,
					   hp_column_paint(&columns[i], model, rows[row].function));
		}
	}
	hp_text_free(&cell);
}

void hp_rows_write(const struct hp_rows *rows, size_t shown, const struct hp_model *model,
		   const struct hp_report_options *options, const struct hp_measure *measure,
		   bool exclusive, struct hp_text *text)
{
	struct hp_column columns[HP_COLUMNS_MAX];
	struct hp_table table;

	if (rows->count == 0) {
		hp_section_no_match(options, text);
		return;
	}
	hp_table_init(&table, hp_columns_shown(model, options, measure, exclusive, columns));
	fill(&table, model, columns, rows->items, shown);
	hp_table_write(&table, options->width, options->colour, text);
	hp_table_free(&table);
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
	hp_json_key(json, "data");
	hp_json_begin_array(json);
	for (size_t i = 0; i < shown; i++)
		put(json, model, options, rows->items[i].function);
	hp_json_end_array(json);
}
