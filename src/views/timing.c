/* SPDX-License-Identifier: MIT */
/* The section "timing": how long functions took. */
#include "columns.h"
#include "format.h"
#include "function_json.h"
#include "section.h"
#include "table.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rows {
	struct hp_row *items;
	size_t count;
};

/* Drop the rows that the user does not ask for, or asks not to see; the order stays. */
static void keep_matching(struct rows *rows, const char *wanted, bool matching)
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

static struct hp_column sort_column(const struct hp_report_options *options)
{
	struct hp_column column;

	if (hp_column_find(options->sort, &column))
		hp_column_find("total", &column);
	column.exclusive = options->time_exclusive;
	return column;
}

/* The rows of the section, before its limit; false when memory ran out. */
static bool select_rows(const struct hp_model *model, const struct hp_report_options *options,
			struct rows *rows)
{
	*rows = (struct rows){ calloc(model->function_count + 1, sizeof(struct hp_row)), 0 };
	if (!rows->items)
		return false;
	for (size_t i = 0; i < model->function_count; i++) {
		const struct hp_function *function = &model->functions[i];
		if (function->calls || function->open)
			rows->items[rows->count++].function = function;
	}
	hp_rows_tell_apart(rows->items, rows->count);
	if (options->focus[0])
		keep_matching(rows, options->focus, true);
	if (options->exclude[0])
		keep_matching(rows, options->exclude, false);
	struct hp_column column = sort_column(options);
	hp_rows_sort(rows->items, rows->count, &column);
	return true;
}

static void fill_table(struct hp_table *table, const struct hp_model *model,
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

static void write_rows(const struct hp_model *model, const struct hp_report_options *options,
		       const struct hp_row *rows, size_t count, struct hp_text *text)
{
	struct hp_column columns[HP_COLUMNS_MAX];
	struct hp_table table;

	hp_table_init(&table, hp_columns_shown(options, columns));
	fill_table(&table, model, columns, rows, count);
	hp_table_write(&table, options->width, options->colour, text);
	hp_table_free(&table);
}

static void write_table(const struct hp_model *model, const struct hp_report_options *options,
			struct hp_text *text)
{
	struct rows rows;
	if (!select_rows(model, options, &rows)) {
		text->failed = true;
		return;
	}

	size_t shown = hp_section_limit(&hp_section_timing, options, rows.count);
	hp_section_title(&hp_section_timing, options, shown, rows.count, text);
	if (rows.count)
		write_rows(model, options, rows.items, shown, text);
	else
		hp_section_no_match(options, text);
	free(rows.items);
}

static void put_u64(struct hp_json *json, const char *key, uint64_t value)
{
	hp_json_key(json, key);
	hp_json_u64(json, value);
}

static void put_durations(struct hp_json *json, const struct hp_function *function,
			  const struct hp_report_options *options)
{
	put_u64(json, "total_ns", function->total_ns);
	put_u64(json, "self_ns", function->self_ns);
	put_u64(json, "sum_ns", function->sum_ns);
	put_u64(json, "avg_ns", hp_function_average(function));
	put_u64(json, "min_ns", function->min_ns);
	put_u64(json, "max_ns", function->max_ns);
	for (unsigned i = 0; i < options->percentile_count; i++) {
		char key[48];
		snprintf(key, sizeof(key), "p%s_ns",
			 hp_format_decimal(options->percentiles[i]).text);
		put_u64(json, key, hp_function_percentile(function, options->percentiles[i]));
	}
}

static void put_histogram(struct hp_json *json, const struct hp_function *function)
{
	hp_json_key(json, "histogram");
	hp_json_begin_array(json);
	for (size_t i = 0; i < function->times.count; i++) {
		hp_json_begin_array(json);
		hp_json_u64(json, function->times.items[i].value);
		hp_json_u64(json, function->times.items[i].count);
		hp_json_end_array(json);
	}
	hp_json_end_array(json);
}

static void put_function(struct hp_json *json, const struct hp_model *model,
			 const struct hp_report_options *options,
			 const struct hp_function *function)
{
	hp_json_begin_object(json);
	hp_json_key(json, "name");
	hp_json_string(json, function->name);
	hp_json_key(json, "kind");
	hp_json_string(json, hp_kind_name(function->kind));
	put_u64(json, "calls", function->calls);
	put_u64(json, "open", function->open);
	put_durations(json, function, options);
	hp_json_key(json, "percent_total");
	hp_json_double(json, hp_share(model, function, false));
	if (function->is_caller) {
		hp_json_key(json, "caller");
		hp_json_bool(json, true);
	}
	hp_json_location(json, function);
	if (options->complete)
		put_histogram(json, function);
	hp_json_end_object(json);
}

/* 95 rather than 95.0, as in the keys. */
static void put_percent(struct hp_json *json, double percent)
{
	uint64_t whole = (uint64_t)percent;

	if ((double)whole == percent)
		hp_json_u64(json, whole);
	else
		hp_json_double(json, percent);
}

static void put_percentiles(struct hp_json *json, const struct hp_report_options *options)
{
	hp_json_key(json, "percentiles");
	hp_json_begin_array(json);
	for (unsigned i = 0; i < options->percentile_count; i++)
		put_percent(json, options->percentiles[i]);
	hp_json_end_array(json);
}

static void write_json(const struct hp_model *model, const struct hp_report_options *options,
		       struct hp_json *json)
{
	struct rows rows;
	if (!select_rows(model, options, &rows))
		json->text->failed = true;

	size_t shown = hp_section_limit(&hp_section_timing, options, rows.count);
	hp_json_begin_object(json);
	put_percentiles(json, options);
	put_u64(json, "total_count", rows.count);
	put_u64(json, "included_count", shown);
	hp_json_key(json, "data");
	hp_json_begin_array(json);
	for (size_t i = 0; i < shown; i++)
		put_function(json, model, options, rows.items[i].function);
	hp_json_end_array(json);
	hp_json_end_object(json);
	free(rows.items);
}

static const char *describe(const struct hp_report_options *options)
{
	return options->time_exclusive ? "Exclusive execution duration of functions."
				       : "Execution duration of functions.";
}

static bool is_automatic(const struct hp_model *model)
{
	(void)model;
	return true;
}

const struct hp_section hp_section_timing = {
	.name = "timing",
	.aliases = { "functions-timing" },
	.json_key = "functions_timing",
	.describe = describe,
	.default_limit = HP_LIMIT_DEFAULT,
	.limit_at = offsetof(struct hp_report_options, timing_limit),
	.is_automatic = is_automatic,
	.write_table = write_table,
	.write_json = write_json,
};
