/* SPDX-License-Identifier: MIT */
/* The rows of a kind that a section shows, as a grid. */
#include "kind_rows.h"

#include "format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool hp_kind_has_rows(const struct hp_kind *kind, const struct hp_model *model, unsigned needs)
{
	for (size_t i = 0; i < model->entries.count; i++) {
		const struct hp_entry *entry = &model->entries.items[i];
		if (entry->kind == kind && (!needs || hp_entry_number(entry, needs)))
			return true;
	}
	return false;
}

/* Rows of the same name follow each other. */
static void add_row(struct hp_kind_rows *rows, const struct hp_entry *entry)
{
	struct hp_kind_row *row = &rows->items[rows->count];

	*row = (struct hp_kind_row){ .entry = entry, .nth = rows->count };
	if (rows->count++ && strcmp(row[-1].entry->name, entry->name) == 0)
		row[-1].needs_place = row->needs_place = true;
}

bool hp_kind_rows_select(struct hp_kind_rows *rows, const struct hp_kind *kind,
			 const struct hp_model *model, const struct hp_report_options *options)
{
	const struct hp_entries *entries = &model->entries;
	struct hp_filter filter;

	*rows = (struct hp_kind_rows){ .items = calloc(entries->count + 1, sizeof(*rows->items)) };
	hp_filter_open(&filter, options);
	for (size_t i = 0; rows->items && i < entries->count; i++)
		if (entries->items[i].kind == kind &&
		    hp_filter_passes(&filter, entries->items[i].name))
			add_row(rows, &entries->items[i]);
	hp_filter_close(&filter);
	return rows->items;
}

/* ---- columns ---- */

static bool is_name(const struct hp_field *field)
{
	return field->unit == HP_FIELD_NAME;
}

static bool has_any(const struct hp_kind_rows *rows, const struct hp_field *field)
{
	for (size_t i = 0; i < rows->count; i++)
		if (hp_entry_number(rows->items[i].entry, field->at))
			return true;
	return false;
}

static bool is_shown(const struct hp_section *section, const struct hp_model *model,
		     const struct hp_kind_rows *rows, const struct hp_field *field)
{
	if (is_name(field))
		return true;
	if (!field->header || field->table != section->table)
		return false;
	if (field->when == HP_SHOWN_WITH_MEMORY)
		return hp_section_has_memory(model);
	return field->when != HP_SHOWN_IF_ANY || has_any(rows, field);
}

/* The key to sort by a column is its header, in letters of any case. */
static void add_column(struct hp_grid *grid, const char *name_header, const struct hp_field *field,
		       double percent)
{
	struct hp_grid_column *into = &grid->columns[grid->column_count];
	struct hp_kind_rows *rows = grid->rows;

	rows->fields[grid->column_count] = field;
	rows->percents[grid->column_count] = percent;
	into->align = field->unit < HP_FIELD_TEXT ? HP_ALIGN_RIGHT : HP_ALIGN_LEFT;
	into->rank = field->rank;
	snprintf(into->header, sizeof(into->header), "%s%s",
		 is_name(field) ? name_header : field->header,
		 field->unit == HP_FIELD_PERCENTILE ? hp_format_decimal(percent).text : "");
	strcpy(into->key, into->header);
	if (is_name(field))
		grid->name = grid->column_count;
	grid->column_count++;
}

static void choose_columns(struct hp_grid *grid, const struct hp_section *section,
			   const struct hp_report_options *options)
{
	const struct hp_field *field = section->kind->fields;

	for (; !hp_field_is_end(field); field++) {
		bool is_one = field->unit != HP_FIELD_PERCENTILE;
		unsigned times = is_one ? 1 : options->percentile_count;

		if (!is_shown(section, grid->model, grid->rows, field))
			continue;
		for (unsigned j = 0; j < times; j++)
			add_column(grid, section->kind->header, field, options->percentiles[j]);
	}
}

/* ---- order ---- */

static int by_weight(const void *left, const void *right)
{
	const struct hp_kind_row *a = left, *b = right;
	int order = (a->weight < b->weight) - (a->weight > b->weight);

	return order ? order : (a->nth > b->nth) - (a->nth < b->nth);
}

static int by_name(const void *left, const void *right)
{
	const struct hp_kind_row *a = left, *b = right;
	int order = strcmp(a->entry->name, b->entry->name);

	return order ? order : by_weight(left, right);
}

static void sort_rows(struct hp_grid *grid, const char *key)
{
	struct hp_kind_rows *rows = grid->rows;
	size_t at = 0;

	while (at < grid->column_count && strcasecmp(grid->columns[at].key, key) != 0)
		at++;
	grid->sorted = at < grid->column_count ? (int)at : -1;
	if (grid->sorted < 0)
		return;
	const struct hp_field *field = rows->fields[at];
	for (size_t i = 0; !is_name(field) && i < rows->count; i++)
		rows->items[i].weight = hp_kind_weight(field, rows->items[i].entry,
						       hp_kind_elapsed(grid->model),
						       rows->percents[at]);
	qsort(rows->items, rows->count, sizeof(*rows->items), is_name(field) ? by_name : by_weight);
}

/* ---- as a grid ---- */

static const struct hp_entry *entry_of(const struct hp_grid *grid, size_t row)
{
	const struct hp_kind_rows *rows = grid->rows;

	return rows->items[row].entry;
}

static enum hp_paint write_cell(const struct hp_grid *grid, size_t row, size_t column,
				struct hp_text *text)
{
	const struct hp_kind_rows *rows = grid->rows;
	const struct hp_kind_row *item = &rows->items[row];
	enum hp_paint paint = hp_kind_cell(rows->fields[column], grid->model, item->entry,
					   rows->percents[column], text);

	if (column == grid->name && item->needs_place && item->entry->file) {
		hp_text_puts(text, " (");
		hp_kind_put_place(item->entry, text);
		hp_text_putc(text, ')');
	}
	return paint;
}

static uint64_t identity_of(const struct hp_grid *grid, size_t row)
{
	const struct hp_entry *entry = entry_of(grid, row);

	return hp_grid_identity(entry->name, entry->line) ^ entry->site_kind;
}

static void close_rows(struct hp_grid *grid)
{
	struct hp_kind_rows *rows = grid->rows;

	if (rows)
		free(rows->items);
	free(rows);
}

bool hp_kind_grid_open(struct hp_grid *grid, const struct hp_section *section,
		       const struct hp_model *model, const struct hp_report_options *options)
{
	static const struct hp_grid_kind grid_kind = { write_cell, identity_of, NULL, close_rows,
						       entry_of };
	struct hp_kind_rows *rows = calloc(1, sizeof(*rows));

	*grid = (struct hp_grid){ .kind = &grid_kind, .model = model, .rows = rows };
	if (!rows || !hp_kind_rows_select(rows, section->kind, model, options))
		return false;
	grid->row_count = rows->count;
	grid->is_limited = !section->kind->limit;
	choose_columns(grid, section, options);
	sort_rows(grid, options->sort);
	return true;
}
