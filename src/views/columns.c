/* SPDX-License-Identifier: MIT */
/* The columns of a table of functions. */
#include "columns.h"

#include "bars.h"
#include "file_name.h"
#include "format.h"
#include "trend.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Characters of the last minute: five seconds each. */
enum { TREND_WIDTH = 12 };

static uint64_t calls(const struct hp_column *column, const struct hp_function *function)
{
	(void)column;
	return function->kind == HP_SITE_CALL ? function->alloc.count : function->calls;
}

static uint64_t average(const struct hp_column *column, const struct hp_function *function)
{
	return column->measure->average(function, column->exclusive);
}

static uint64_t percentile(const struct hp_column *column, const struct hp_function *function)
{
	return column->measure->percentile(function, column->exclusive, column->percent);
}

static uint64_t total(const struct hp_column *column, const struct hp_function *function)
{
	return column->measure->total(function, column->exclusive);
}

static uint64_t self(const struct hp_column *column, const struct hp_function *function)
{
	return column->measure->total(function, true);
}

static uint64_t least(const struct hp_column *column, const struct hp_function *function)
{
	return column->measure->percentile(function, column->exclusive, 0);
}

static uint64_t most(const struct hp_column *column, const struct hp_function *function)
{
	return column->measure->percentile(function, column->exclusive, 100);
}

static uint64_t temporary(const struct hp_column *column, const struct hp_function *function)
{
	return column->measure->shown == HP_SHOWN_ALLOC ? function->alloc.temporary_count : 0;
}

static uint64_t user_samples(const struct hp_column *column, const struct hp_function *function)
{
	(void)column;
	return function->cpu.samples - function->cpu.system_samples;
}

static uint64_t system_samples(const struct hp_column *column, const struct hp_function *function)
{
	(void)column;
	return function->cpu.system_samples;
}

/* In calls per 1000 seconds, so that slow functions are sorted too. */
static uint64_t rate(const struct hp_column *column, const struct hp_function *function)
{
	(void)column;
	return function->trend ? (uint64_t)(function->trend->rate * 1000) : 0;
}

#define CALLED (HP_SHOWN_TIME | HP_SHOWN_ALLOC)
#define ALWAYS (CALLED | HP_SHOWN_CPU)

static const struct hp_column_kind kinds[] = {
	{ "function", "name", "Function", HP_UNIT_NAME, ALWAYS, 0, NULL },
	{ "calls", "", "Calls", HP_UNIT_CALLS, CALLED, 3, calls },
	{ "rate", "", "Calls/s", HP_UNIT_RATE, ALWAYS | HP_SHOWN_WATCHED, 5, rate },
	{ "avg", "", "Avg", HP_UNIT_OF_CALLS, CALLED, 4, average },
	{ "pNN", "", "", HP_UNIT_OF_CALLS, CALLED, 7, percentile },
	{ "total", "", "Total", HP_UNIT_VALUE, CALLED, 2, total },
	{ "samples", "", "Samples", HP_UNIT_VALUE, HP_SHOWN_CPU, 3, total },
	{ "cpu", "", "CPU time", HP_UNIT_CPU, HP_SHOWN_CPU, 2, total },
	{ "user", "", "User", HP_UNIT_CPU, HP_SHOWN_CPU | HP_SHOWN_SYSTEM, 4, user_samples },
	{ "system", "", "System", HP_UNIT_CPU, HP_SHOWN_CPU | HP_SHOWN_SYSTEM, 4, system_samples },
	{ "percent", "", "% Total", HP_UNIT_SHARE, ALWAYS, 1, total },
	{ "self", "", "Self", HP_UNIT_VALUE, 0, 9, self },
	{ "min", "", "Min", HP_UNIT_OF_CALLS, 0, 9, least },
	{ "max", "", "Max", HP_UNIT_OF_CALLS, 0, 9, most },
	{ "temporary", "", "Temporary", HP_UNIT_TEMPORARY, HP_SHOWN_ALLOC | HP_SHOWN_FOLLOWED, 8,
	  temporary },
	{ "trend", "", "Last minute", HP_UNIT_TREND, ALWAYS | HP_SHOWN_WATCHED, 6, rate },
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static bool is_percentile(const struct hp_column_kind *kind)
{
	return !kind->header[0];
}

/* Whether at least a hundredth of the samples were in the kernel; less is not worth a column. */
static bool has_system_time(const struct hp_model *model)
{
	uint64_t samples = model->cpu.outside_system_samples;

	for (size_t i = 0; i < model->function_count; i++)
		samples += model->functions[i].cpu.system_samples;
	return samples > 0 && samples >= model->cpu.total_samples / 100;
}

static bool is_shown(const struct hp_column_kind *kind, const struct hp_model *model,
		     const struct hp_measure *measure, bool exclusive)
{
	if (is_percentile(kind) && exclusive && measure->of_whole_calls)
		return false;
	if (kind->shown & HP_SHOWN_SYSTEM && !(exclusive && has_system_time(model)))
		return false;
	if (kind->shown & HP_SHOWN_FOLLOWED && model->memory.mode != HP_ALLOC_LIVE)
		return false;
	if (kind->shown & HP_SHOWN_WATCHED && !(model->watched && hp_model_has_calls(model)))
		return false;
	return kind->shown & measure->shown;
}

size_t hp_columns_shown(const struct hp_model *model, const struct hp_report_options *options,
			const struct hp_measure *measure, bool exclusive,
			struct hp_column columns[HP_COLUMNS_MAX])
{
	uint64_t whole = options->exclude_wrapper && measure->has_caller
				 ? hp_measure_rest(measure, model, exclusive)
				 : 0;
	size_t count = 0;

	for (size_t i = 0; i < KINDS; i++) {
		unsigned times = is_percentile(&kinds[i]) ? options->percentile_count : 1;

		for (unsigned j = 0; is_shown(&kinds[i], model, measure, exclusive) && j < times;
		     j++)
			columns[count++] = (struct hp_column){
				.kind = &kinds[i],
				.measure = measure,
				.percent = options->percentiles[j],
				.exclusive = exclusive,
				.whole = whole,
			};
	}
	return count;
}

static bool answers_to(const struct hp_column_kind *kind, const char *key, double *percent)
{
	if (is_percentile(kind))
		return key[0] == 'p' && hp_parse_decimal(key + 1, percent) && *percent <= 100;
	return strcmp(kind->key, key) == 0 || (kind->alias[0] && strcmp(kind->alias, key) == 0);
}

int hp_column_find(const char *key, struct hp_column *column)
{
	double percent = 0;

	for (size_t i = 0; i < KINDS; i++) {
		if (answers_to(&kinds[i], key, &percent)) {
			*column = (struct hp_column){ .kind = &kinds[i],
						      .measure = &hp_measure_time,
						      .percent = percent };
			return 0;
		}
	}
	return -ENOENT;
}

void hp_column_keys(char *keys, size_t size)
{
	size_t length = 0;

	for (size_t i = 0; i < KINDS && length < size; i++) {
		const char *alias = kinds[i].alias;

		if (kinds[i].shown & (HP_SHOWN_WATCHED | HP_SHOWN_SYSTEM))
			continue;
		length += (size_t)snprintf(keys + length, size - length, "%s%s%s%s", i ? ", " : "",
					   kinds[i].key, *alias ? ", " : "", alias);
	}
}

void hp_column_header(const struct hp_column *column, struct hp_text *text)
{
	if (is_percentile(column->kind))
		hp_text_printf(text, "P%s", hp_format_decimal(column->percent).text);
	else
		hp_text_puts(text, column->kind->header);
}

double hp_column_share(const struct hp_column *column, const struct hp_model *model,
		       const struct hp_function *function)
{
	return hp_measure_share(column->measure, model, function, column->exclusive, column->whole);
}

enum hp_paint hp_share_paint(double share)
{
	if (share >= 50)
		return HP_PAINT_HOT;
	return share >= 20 ? HP_PAINT_WARM : HP_PAINT_PLAIN;
}

enum hp_paint hp_column_paint(const struct hp_column *column, const struct hp_model *model,
			      const struct hp_function *function)
{
	if (column->kind->unit == HP_UNIT_TREND)
		return HP_PAINT_TITLE;
	if (column->kind->unit != HP_UNIT_SHARE)
		return HP_PAINT_PLAIN;
	return hp_share_paint(hp_column_share(column, model, function));
}

/* The name of the source file or, if that is not known, of the file with the code; without its folder. */
static const char *base_name(const struct hp_function *function)
{
	const char *path = function->file ? function->file : function->module;

	return path ? hp_file_name(path) : "";
}

void hp_row_name(const struct hp_row *row, struct hp_text *text)
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

typedef void cell_writer(const struct hp_column *column, const struct hp_model *model,
			 const struct hp_row *row, struct hp_text *text);

static void put_name(const struct hp_column *column, const struct hp_model *model,
		     const struct hp_row *row, struct hp_text *text)
{
	(void)column, (void)model;
	hp_row_name(row, text);
}

static void put_calls(const struct hp_column *column, const struct hp_model *model,
		      const struct hp_row *row, struct hp_text *text)
{
	uint64_t count = calls(column, row->function);

	/* A process is not called. */
	if (column->measure->shown == HP_SHOWN_ALLOC && !count && !row->function->open)
		hp_text_putc(text, '-');
	else
		hp_text_puts(text, hp_format_count(count).text);
	if (row->function->open)
		hp_text_printf(text, model->watched ? " +%s" : " +%s open",
			       hp_format_count(row->function->open).text);
}

static void put_value(const struct hp_column *column, const struct hp_model *model,
		      const struct hp_row *row, struct hp_text *text)
{
	uint64_t value = column->kind->value(column, row->function);

	if (column->measure->shown == HP_SHOWN_TIME &&
	    hp_function_is_mostly_cost(model, row->function))
		hp_text_putc(text, '~');
	hp_text_puts(text, column->measure->format(value).text);
}

/* Functions that are not measured only have an average over their calls of malloc. */
static bool is_known(const struct hp_column *column, const struct hp_function *function)
{
	return function->calls ||
	       (function->kind == HP_SITE_CALL && column->kind->value == average);
}

static void put_of_calls(const struct hp_column *column, const struct hp_model *model,
			 const struct hp_row *row, struct hp_text *text)
{
	if (is_known(column, row->function))
		put_value(column, model, row, text);
	else
		hp_text_putc(text, '-');
}

/* As a share of the function's own blocks. */
static void put_temporary(const struct hp_column *column, const struct hp_model *model,
			  const struct hp_row *row, struct hp_text *text)
{
	const struct hp_alloc_figures *alloc = &row->function->alloc;

	(void)column, (void)model;
	if (alloc->count)
		hp_text_puts(text, hp_format_percent((double)alloc->temporary_count * 100 /
						     (double)alloc->count)
					   .text);
	else
		hp_text_putc(text, '-');
}

static void put_share(const struct hp_column *column, const struct hp_model *model,
		      const struct hp_row *row, struct hp_text *text)
{
	hp_text_puts(text, hp_format_percent(hp_column_share(column, model, row->function)).text);
}

static void put_cpu(const struct hp_column *column, const struct hp_model *model,
		    const struct hp_row *row, struct hp_text *text)
{
	uint64_t samples = column->kind->value(column, row->function);

	hp_text_puts(text, hp_format_duration(samples * model->cpu.period_ns).text);
}

static void put_rate(const struct hp_column *column, const struct hp_model *model,
		     const struct hp_row *row, struct hp_text *text)
{
	const struct hp_trend *trend = row->function->trend;

	(void)column, (void)model;
	hp_text_puts(text, trend ? hp_format_rate(trend->rate).text : "-");
}

static void put_trend(const struct hp_column *column, const struct hp_model *model,
		      const struct hp_row *row, struct hp_text *text)
{
	const struct hp_trend *trend = row->function->trend;

	(void)column, (void)model;
	if (trend)
		hp_bars_line(trend->seconds, HP_TREND_SECONDS, TREND_WIDTH, text);
}

void hp_column_cell(const struct hp_column *column, const struct hp_model *model,
		    const struct hp_row *row, struct hp_text *text)
{
	static cell_writer *const writers[] = {
		[HP_UNIT_NAME] = put_name,   [HP_UNIT_CALLS] = put_calls,
		[HP_UNIT_VALUE] = put_value, [HP_UNIT_OF_CALLS] = put_of_calls,
		[HP_UNIT_SHARE] = put_share, [HP_UNIT_TEMPORARY] = put_temporary,
		[HP_UNIT_CPU] = put_cpu,     [HP_UNIT_RATE] = put_rate,
		[HP_UNIT_TREND] = put_trend,
	};

	writers[column->kind->unit](column, model, row, text);
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* By name, file without its folder, and place in it: rows that look alike are neighbours. */
static int compare_names(const void *left, const void *right)
{
	const struct hp_function *a = ((const struct hp_row *)left)->function;
	const struct hp_function *b = ((const struct hp_row *)right)->function;
	int order = strcmp(a->name, b->name);

	if (order == 0)
		order = strcmp(base_name(a), base_name(b));
	if (order == 0)
		order = compare(a->line, b->line);
	return order ? order : compare(a->offset, b->offset);
}

static int compare_weights(const void *left, const void *right)
{
	const struct hp_row *a = left, *b = right;
	int order = compare(b->weight, a->weight);

	return order ? order : compare_names(left, right);
}

void hp_rows_sort(struct hp_row *rows, size_t count, const struct hp_column *column)
{
	for (size_t i = 0; column->kind->value && i < count; i++)
		rows[i].weight = column->kind->value(column, rows[i].function);
	if (count)
		qsort(rows, count, sizeof(*rows), compare_weights);
}

static enum hp_place difference(const struct hp_function *a, const struct hp_function *b)
{
	if (strcmp(a->name, b->name) != 0)
		return HP_PLACE_NONE;
	return strcmp(base_name(a), base_name(b)) == 0 ? HP_PLACE_LINE : HP_PLACE_FILE;
}

static void raise_place(struct hp_row *row, enum hp_place place)
{
	if (place > row->place)
		row->place = place;
}

void hp_rows_tell_apart(struct hp_row *rows, size_t count)
{
	if (count)
		qsort(rows, count, sizeof(*rows), compare_names);
	for (size_t i = 1; i < count; i++) {
		enum hp_place place = difference(rows[i - 1].function, rows[i].function);
		raise_place(&rows[i - 1], place);
		raise_place(&rows[i], place);
	}
}
