/* SPDX-License-Identifier: MIT */
/* The channels, streams, futures, loops or values that a section shows, as rows and columns. */
#include "flow_rows.h"

#include "format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_row(const struct hp_flow *flow, enum hp_flow_section section)
{
	const struct hp_flow_kind *kind = &hp_flow_kinds[section];

	return flow->kind >= kind->first && flow->kind <= kind->last;
}

bool hp_flow_has_rows(const struct hp_model *model, enum hp_flow_section section)
{
	for (size_t i = 0; i < model->flows.count; i++)
		if (is_row(&model->flows.items[i], section))
			return true;
	return false;
}

/* Rows of the same name follow each other. */
static void add_row(struct hp_flow_rows *rows, const struct hp_flow *flow)
{
	struct hp_flow_row *row = &rows->items[rows->count];

	*row = (struct hp_flow_row){ .flow = flow, .nth = rows->count };
	if (rows->count++ && strcmp(row[-1].flow->name, flow->name) == 0)
		row[-1].needs_place = row->needs_place = true;
}

bool hp_flow_rows_select(struct hp_flow_rows *rows, enum hp_flow_section section,
			 const struct hp_model *model, const struct hp_report_options *options)
{
	const struct hp_flows *flows = &model->flows;
	struct hp_filter filter;

	*rows = (struct hp_flow_rows){ .section = section,
				       .items = calloc(flows->count + 1, sizeof(*rows->items)) };
	hp_filter_open(&filter, options);
	for (size_t i = 0; rows->items && i < flows->count; i++)
		if (is_row(&flows->items[i], section) &&
		    hp_filter_passes(&filter, flows->items[i].name))
			add_row(rows, &flows->items[i]);
	hp_filter_close(&filter);
	return rows->items;
}

/* ---- columns ---- */

static bool is_name(const struct hp_flow_column *column)
{
	return column->unit == HP_FLOW_NAME;
}

static bool has_any(const struct hp_flow_rows *rows, const struct hp_flow_column *column)
{
	const struct hp_flow_column sum = { .at = column->at, .unit = HP_FLOW_COUNT };

	for (size_t i = 0; i < rows->count; i++)
		if (hp_flow_figure(&sum, NULL, rows->items[i].flow, 0).whole)
			return true;
	return false;
}

static bool is_shown(const struct hp_model *model, const struct hp_flow_rows *rows,
		     const struct hp_flow_column *column)
{
	if (!(column->sections >> rows->section & 1) || (!column->header[0] && !is_name(column)))
		return false;
	if (column->when == HP_FLOW_IF_MEMORY)
		return hp_section_has_memory(model);
	return column->when != HP_FLOW_IF_ANY || has_any(rows, column);
}

/* What a column is sorted by has its heading for a key, in letters of any size. */
static void add_column(struct hp_grid *grid, struct hp_flow_rows *rows, size_t nth, double percent)
{
	const struct hp_flow_column *column = &hp_flow_columns[nth];
	struct hp_grid_column *into = &grid->columns[grid->column_count];

	rows->columns[grid->column_count] = (uint8_t)nth;
	rows->percents[grid->column_count] = percent;
	into->align = column->unit < HP_FLOW_NAME ? HP_ALIGN_RIGHT : HP_ALIGN_LEFT;
	into->rank = column->rank;
	snprintf(into->header, sizeof(into->header), "%s%s",
		 is_name(column) ? hp_flow_kinds[rows->section].header : column->header,
		 column->unit == HP_FLOW_PERCENTILE ? hp_format_decimal(percent).text : "");
	strcpy(into->key, into->header);
	if (is_name(column))
		grid->name = grid->column_count;
	grid->column_count++;
}

static void choose_columns(struct hp_grid *grid, struct hp_flow_rows *rows,
			   const struct hp_report_options *options)
{
	for (size_t i = 0; i < hp_flow_column_count; i++) {
		bool is_one = hp_flow_columns[i].unit != HP_FLOW_PERCENTILE;
		unsigned times = is_one ? 1 : options->percentile_count;

		if (!is_shown(grid->model, rows, &hp_flow_columns[i]))
			continue;
		for (unsigned j = 0; j < times; j++)
			add_column(grid, rows, i, options->percentiles[j]);
	}
}

/* ---- order ---- */

static int by_weight(const void *left, const void *right)
{
	const struct hp_flow_row *a = left, *b = right;
	int order = (a->weight < b->weight) - (a->weight > b->weight);

	return order ? order : (a->nth > b->nth) - (a->nth < b->nth);
}

static int by_name(const void *left, const void *right)
{
	const struct hp_flow_row *a = left, *b = right;
	int order = strcmp(a->flow->name, b->flow->name);

	return order ? order : by_weight(left, right);
}

static void sort_rows(struct hp_grid *grid, const char *key)
{
	struct hp_flow_rows *rows = grid->rows;
	size_t at = 0;

	while (at < grid->column_count && strcasecmp(grid->columns[at].key, key) != 0)
		at++;
	grid->sorted = at < grid->column_count ? (int)at : -1;
	if (grid->sorted < 0)
		return;
	const struct hp_flow_column *column = &hp_flow_columns[rows->columns[at]];
	for (size_t i = 0; !is_name(column) && i < rows->count; i++)
		rows->items[i].weight = hp_flow_weight(column, grid->model, rows->items[i].flow,
						       rows->percents[at]);
	qsort(rows->items, rows->count, sizeof(*rows->items),
	      is_name(column) ? by_name : by_weight);
}

/* ---- as a grid ---- */

static const struct hp_flow *flow_of(const struct hp_grid *grid, size_t row)
{
	const struct hp_flow_rows *rows = grid->rows;

	return rows->items[row].flow;
}

static enum hp_paint write_cell(const struct hp_grid *grid, size_t row, size_t column,
				struct hp_text *text)
{
	const struct hp_flow_rows *rows = grid->rows;
	const struct hp_flow_row *item = &rows->items[row];
	enum hp_paint paint = hp_flow_cell(&hp_flow_columns[rows->columns[column]], grid->model,
					   item->flow, rows->percents[column], text);

	if (column == grid->name && item->needs_place && item->flow->file) {
		hp_text_puts(text, " (");
		hp_flow_put_place(item->flow, text);
		hp_text_putc(text, ')');
	}
	return paint;
}

static uint64_t identity_of(const struct hp_grid *grid, size_t row)
{
	const struct hp_flow *flow = flow_of(grid, row);

	return hp_grid_identity(flow->name, flow->line) ^ flow->kind;
}

static void close_rows(struct hp_grid *grid)
{
	struct hp_flow_rows *rows = grid->rows;

	if (rows)
		free(rows->items);
	free(rows);
}

bool hp_flow_grid_open(struct hp_grid *grid, enum hp_flow_section section,
		       const struct hp_model *model, const struct hp_report_options *options)
{
	static const struct hp_grid_kind kind = { write_cell, identity_of, NULL, close_rows,
						  flow_of };
	struct hp_flow_rows *rows = calloc(1, sizeof(*rows));

	*grid = (struct hp_grid){ .kind = &kind, .model = model, .rows = rows };
	if (!rows || !hp_flow_rows_select(rows, section, model, options))
		return false;
	grid->row_count = rows->count;
	grid->is_limited = section == HP_FLOW_DEBUG;
	choose_columns(grid, rows, options);
	sort_rows(grid, options->sort);
	return true;
}
