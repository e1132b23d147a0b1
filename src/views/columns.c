/* SPDX-License-Identifier: MIT */
/* The columns of a table of functions, by the fields of its kind; and its rows: their names and order. */
#include "columns.h"

#include "file_name.h"
#include "format.h"
#include "trend.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- finding a column ---- */

/* What --sort asks for. */
struct wanted {
	const char *key;
	bool is_percentile;
	bool is_extreme;
	double percent;
};

/* The least and the largest of all calls are percentiles, too. */
static struct wanted want(const char *key)
{
	struct wanted wanted = { .key = key, .is_percentile = true };

	wanted.is_extreme = strcmp(key, "min") == 0 || strcmp(key, "max") == 0;
	if (wanted.is_extreme)
		wanted.percent = strcmp(key, "max") == 0 ? 100 : 0;
	else
		wanted.is_percentile = key[0] == 'p' &&
				       hp_parse_decimal(key + 1, &wanted.percent) &&
				       wanted.percent <= 100;
	return wanted;
}

static bool answers_to(const struct hp_field *field, const struct wanted *wanted)
{
	if (wanted->is_percentile || hp_field_is_percentile(field))
		return wanted->is_percentile && hp_field_is_percentile(field);
	if (field->unit == HP_FIELD_NAME && strcmp(wanted->key, "name") == 0)
		return true;
	return field->sort && strcmp(field->sort, wanted->key) == 0;
}

static bool is_in_table(const struct hp_field *field, unsigned table)
{
	return field->table == HP_ANY_TABLE || field->table == table ||
	       field->unit == HP_FIELD_NAME;
}

static bool is_of_depth(const struct hp_field *field, bool exclusive)
{
	return field->depth == HP_ANY_DEPTH || (field->depth == HP_EXCLUSIVE) == exclusive;
}

/* A field for the other depth will do if there is no better one. */
static const struct hp_field *find(const struct hp_measure *measure, const struct wanted *wanted)
{
	const struct hp_field *field = measure->kind->fields, *found = NULL;

	for (; !hp_field_is_end(field); field++) {
		if (!answers_to(field, wanted) || !is_in_table(field, measure->table))
			continue;
		if (is_of_depth(field, measure->exclusive))
			return field;
		found = field;
	}
	return found;
}

static const struct hp_field *find_key(const struct hp_measure *measure, const char *key)
{
	return find(measure, &(struct wanted){ .key = key });
}

struct hp_column hp_column_sorted(const struct hp_measure *measure, const char *key)
{
	struct hp_measure time = { &hp_kind_timing, 0, measure->exclusive };
	struct wanted wanted = want(key);
	const struct hp_field *field = find(measure, &wanted);

	/* The total is that of the kind itself, whatever its key. */
	if (!field && strcmp(key, hp_kind_timing.total) != 0)
		field = find(&time, &wanted);
	if (!field)
		field = hp_measure_total(measure);
	return (struct hp_column){ field, wanted.percent, wanted.is_extreme };
}

/* ---- keys ---- */

bool hp_column_exists(const char *key)
{
	struct wanted wanted = want(key);

	for (size_t i = 0; hp_kinds[i]; i++)
		for (const struct hp_field *field = hp_kinds[i]->fields;
		     hp_kinds[i]->is_of_functions && !hp_field_is_end(field); field++)
			if (answers_to(field, &wanted))
				return true;
	return false;
}

/* The column at a place, in any table of functions; NULL if there is none, or it is rarely shown. */
static const struct hp_field *named_at(unsigned place)
{
	for (size_t i = 0; hp_kinds[i]; i++)
		for (const struct hp_field *field = hp_kinds[i]->fields;
		     hp_kinds[i]->is_of_functions && !hp_field_is_end(field); field++)
			if (field->nth == place && field->when != HP_SHOWN_WATCHED_ONLY &&
			    field->when != HP_SHOWN_WITH_RECENT &&
			    field->when != HP_SHOWN_WITH_SYSTEM)
				return field;
	return NULL;
}

void hp_column_keys(char *keys, size_t size)
{
	size_t length = 0;

	for (unsigned place = 1; place <= UINT8_MAX && length < size; place++) {
		const struct hp_field *field = named_at(place);
		if (!field)
			continue;
		length += (size_t)snprintf(keys + length, size - length, "%s%s%s",
					   length ? ", " : "", field->sort,
					   field->unit == HP_FIELD_NAME	   ? ", name"
					   : hp_field_is_percentile(field) ? "NN"
									   : "");
	}
}

/* ---- totals ---- */

const struct hp_field *hp_measure_total(const struct hp_measure *measure)
{
	return find_key(measure, measure->kind->total);
}

double hp_measure_share(const struct hp_measure *measure, const struct hp_totals *totals,
			const struct hp_function *function)
{
	return hp_kind_figure(find_key(measure, "percent"), function, totals, 0).real;
}

/* The sum of all rows except the caller's. */
static uint64_t rest_of(const struct hp_measure *measure, const struct hp_model *model)
{
	const struct hp_field *total = hp_measure_total(measure);
	uint64_t sum = 0;

	for (size_t i = 0; i < model->function_count; i++) {
		const struct hp_function *function = &model->functions[i];
		if (!function->is_caller && measure->kind->has_row(function))
			sum += hp_kind_number(total, function);
	}
	return sum;
}

/* Whether at least a hundredth of the samples were in the kernel; less is not worth a column. */
static bool has_system_time(const struct hp_model *model)
{
	uint64_t samples = model->cpu.outside_system_samples;

	for (size_t i = 0; i < model->function_count; i++)
		samples += model->functions[i].cpu.system_samples;
	return samples > 0 && samples >= model->cpu.total_samples / 100;
}

struct hp_totals hp_measure_totals(const struct hp_measure *measure, const struct hp_model *model,
				   const struct hp_report_options *options)
{
	struct hp_totals totals = hp_model_totals(model);

	totals.exclusive = measure->exclusive;
	totals.has_system = has_system_time(model);
	if (options->exclude_wrapper && measure->kind->has_caller)
		totals.whole = rest_of(measure, model);
	return totals;
}

/* ---- which columns ---- */

static bool is_shown(const struct hp_field *field, const struct hp_model *model,
		     const struct hp_measure *measure, const struct hp_totals *totals)
{
	if (field->unit == HP_FIELD_NAME)
		return true;
	if (!field->header || !is_in_table(field, measure->table) ||
	    !is_of_depth(field, measure->exclusive))
		return false;
	if (field->when == HP_SHOWN_WATCHED_ONLY && !hp_model_has_calls(model))
		return false;
	return hp_totals_know(totals, field);
}

static void insert(struct hp_column *columns, size_t count, struct hp_column column)
{
	for (; count && columns[count - 1].field->nth > column.field->nth; count--)
		columns[count] = columns[count - 1];
	columns[count] = column;
}

size_t hp_columns_shown(const struct hp_model *model, const struct hp_report_options *options,
			const struct hp_measure *measure, const struct hp_totals *totals,
			struct hp_column columns[HP_TABLE_COLUMNS_MAX])
{
	const struct hp_field *field = measure->kind->fields;
	size_t count = 0;

	for (; !hp_field_is_end(field); field++) {
		unsigned times = hp_field_is_percentile(field) ? options->percentile_count : 1;

		if (!is_shown(field, model, measure, totals))
			continue;
		for (unsigned j = 0; j < times; j++, count++)
			insert(columns, count,
			       (struct hp_column){ field, options->percentiles[j], false });
	}
	return count;
}

/* ---- rows ---- */

/* The name of the source file or, if that is not known, of the file with the code; without its folder. */
static const char *base_name(const struct hp_function *function)
{
	const char *path = function->file ? function->file : function->module;

	return path ? hp_file_name(path) : "";
}

void hp_row_name(const struct hp_table_row *row, struct hp_text *text)
{
	hp_text_puts(text, row->function->name);
	if (row->place == HP_PLACE_NONE || !base_name(row->function)[0])
		return;
	hp_text_printf(text, " (%s", base_name(row->function));
	if (row->place == HP_PLACE_LINE && row->function->file)
		hp_text_printf(text, ":%" PRIu32, row->function->line);
	else if (row->place == HP_PLACE_LINE)
		hp_text_printf(text, "+0x%" PRIx64, row->function->offset);
	hp_text_putc(text, ')');
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* By name, file without its folder, and place in it: rows that look alike are neighbours. */
static int compare_names(const void *left, const void *right)
{
	const struct hp_function *a = ((const struct hp_table_row *)left)->function;
	const struct hp_function *b = ((const struct hp_table_row *)right)->function;
	int order = strcmp(a->name, b->name);

	if (order == 0)
		order = strcmp(base_name(a), base_name(b));
	if (order == 0)
		order = compare(a->line, b->line);
	return order ? order : compare(a->offset, b->offset);
}

static int compare_weights(const void *left, const void *right)
{
	const struct hp_table_row *a = left, *b = right;
	int order = compare(b->weight, a->weight);

	return order ? order : compare_names(left, right);
}

/* Slow functions are sorted, too: rates are in calls per 1000 seconds. */
static uint64_t weight_of(const struct hp_column *column, const struct hp_function *function)
{
	const struct hp_field *field = column->field;

	switch (field->unit) {
	case HP_FIELD_TREND:
	case HP_FIELD_MINUTE:
		return (uint64_t)(hp_kind_figure(field, function, NULL, 0).real * 1000);
	case HP_FIELD_NAME:
		return 0;
	case HP_FIELD_PART:
	case HP_FIELD_SAMPLES:
		return hp_kind_number(field, function);
	default:
		return hp_kind_figure(field, function, NULL, column->percent).whole;
	}
}

void hp_rows_sort(struct hp_table_row *rows, size_t count, const struct hp_column *column)
{
	for (size_t i = 0; i < count; i++)
		rows[i].weight = weight_of(column, rows[i].function);
	if (count)
		qsort(rows, count, sizeof(*rows), compare_weights);
}

static enum hp_place difference(const struct hp_function *a, const struct hp_function *b)
{
	if (strcmp(a->name, b->name) != 0)
		return HP_PLACE_NONE;
	return strcmp(base_name(a), base_name(b)) == 0 ? HP_PLACE_LINE : HP_PLACE_FILE;
}

static void raise_place(struct hp_table_row *row, enum hp_place place)
{
	if (place > row->place)
		row->place = place;
}

void hp_rows_tell_apart(struct hp_table_row *rows, size_t count)
{
	if (count)
		qsort(rows, count, sizeof(*rows), compare_names);
	for (size_t i = 1; i < count; i++) {
		enum hp_place place = difference(rows[i - 1].function, rows[i].function);
		raise_place(&rows[i - 1], place);
		raise_place(&rows[i], place);
	}
}
