/* SPDX-License-Identifier: MIT */
/* The rows of a kind that a section shows, as a grid. */
#include "kind_rows.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool hp_kind_has_rows(const struct hp_kind *kind, const struct hp_model *model, unsigned needs)
{
	size_t count = hp_model_row_count(model, kind);

	for (size_t i = 0; i < count; i++) {
		const void *row = hp_model_row(model, kind, i);
		if (row && (!needs || hp_row_number(row, needs)))
			return true;
	}
	return false;
}

/* ---- which rows ---- */

/* Entries of the same name follow each other. */
static void add_row(struct hp_kind_rows *rows, const void *added)
{
	struct hp_kind_row *row = &rows->items[rows->count];
	const struct hp_entry *entry = added, *last = rows->count ? row[-1].row : NULL;

	*row = (struct hp_kind_row){ .row = added };
	rows->count++;
	if (last && hp_kind_has_sites(rows->kind) && strcmp(last->name, entry->name) == 0)
		row[-1].needs_place = row->needs_place = true;
}

/* To the order of a kind, each item is a pointer to a row: its first member. */
static void put_in_order(struct hp_kind_rows *rows)
{
	if (rows->kind->order && rows->count)
		qsort(rows->items, rows->count, sizeof(*rows->items), rows->kind->order);
	for (size_t i = 0; i < rows->count; i++)
		rows->items[i].nth = i;
}

static void select_rows(struct hp_kind_rows *rows, const struct hp_section *section,
			const struct hp_model *model, const struct hp_report_options *options,
			bool in_table)
{
	size_t count = hp_model_row_count(model, rows->kind);
	struct hp_filter filter;

	hp_filter_open(&filter, options);
	for (size_t i = 0; i < count; i++) {
		const void *row = hp_model_row(model, rows->kind, i);
		bool has = row && (!section->has_row || section->has_row(row, options, in_table));
		if (has && (rows->kind->is_unfiltered ||
			    hp_filter_passes(&filter, hp_kind_name_of(rows->kind, row))))
			add_row(rows, row);
	}
	hp_filter_close(&filter);
}

bool hp_kind_rows_select(struct hp_kind_rows *rows, const struct hp_section *section,
			 const struct hp_model *model, const struct hp_report_options *options,
			 bool in_table)
{
	const struct hp_kind *kind = section->kind;
	size_t count = hp_model_row_count(model, kind);
	const void *rest = hp_model_row(model, kind, count);

	*rows = (struct hp_kind_rows){ .kind = kind,
				       .items = calloc(count + 1, sizeof(*rows->items)) };
	if (!rows->items)
		return false;
	select_rows(rows, section, model, options, in_table);
	put_in_order(rows);
	if (rest)
		hp_row_add(kind->fields, &rows->rest, rest);
	return true;
}

static size_t count_unlimited(const struct hp_kind_rows *rows)
{
	size_t always = 0;

	while (rows->kind->is_limited && always < rows->count &&
	       !rows->kind->is_limited(rows->items[always].row))
		always++;
	return always;
}

/* Make groups of the rows that count for the limit, if they are more than it allows. False when memory ran out. */
static bool group_rows(struct hp_kind_rows *rows, const struct hp_section *section,
		       const struct hp_report_options *options)
{
	size_t always = count_unlimited(rows), many = rows->count - always, count = 0;

	if (!rows->kind->join || hp_section_limit(section, options, many) >= many)
		return true;
	rows->groups = calloc(many, sizeof(*rows->groups));
	if (!rows->groups)
		return false;
	for (size_t i = always; i < rows->count; i++) {
		size_t at = 0;
		while (!rows->kind->join(&rows->groups[at], rows->items[i].row))
			at++;
		if (at == count)
			count++;
	}
	for (size_t i = 0; i < count; i++)
		rows->items[always + i].row = &rows->groups[i];
	rows->count = always + count;
	put_in_order(rows);
	return true;
}

/* Move the rows that a kind chooses before the others, in their order. Without memory for that, they stay as they are. */
static void move_chosen(struct hp_kind_rows *rows)
{
	struct hp_kind_row *items = calloc(rows->count, sizeof(*items));
	const void **all = calloc(rows->count, sizeof(*all));
	bool *chosen = calloc(rows->count, sizeof(*chosen));
	size_t shown = 0, others = rows->shown;

	for (size_t i = 0; all && i < rows->count; i++)
		all[i] = rows->items[i].row;
	if (items && all && chosen) {
		rows->kind->choose(all, rows->count, rows->shown, chosen);
		for (size_t i = 0; i < rows->count; i++)
			items[chosen[i] ? shown++ : others++] = rows->items[i];
		memcpy(rows->items, items, rows->count * sizeof(*items));
	}
	free(chosen);
	free(all);
	free(items);
}

/* A kind without a limit shows all. */
void hp_kind_rows_limit(struct hp_kind_rows *rows, const struct hp_section *section,
			const struct hp_report_options *options, hp_limit *limit)
{
	const struct hp_kind *kind = rows->kind;
	size_t always = count_unlimited(rows);

	rows->shown = rows->count;
	if (kind->limit)
		rows->shown = always + limit(section, options, rows->count - always);
	if (kind->choose && rows->shown && rows->shown < rows->count)
		move_chosen(rows);
	for (size_t i = rows->shown; kind->rest && i < rows->count; i++)
		hp_row_add(kind->fields, &rows->rest, rows->items[i].row);
}

/* ---- columns ---- */

static bool is_name(const struct hp_field *field)
{
	return field->unit == HP_FIELD_NAME;
}

static bool is_worth(const struct hp_field *field, const void *row)
{
	if (field->when == HP_SHOWN_IF_KNOWN)
		return hp_kind_figure(field, row, &(struct hp_totals){ 0 }, 0).is_known;
	return field->is_worth ? field->is_worth(row) : hp_kind_number(field, row);
}

static bool has_any(const struct hp_kind_rows *rows, const struct hp_field *field)
{
	for (size_t i = 0; i < rows->count; i++)
		if (is_worth(field, rows->items[i].row))
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
	if (field->when >= HP_SHOWN_WITH_MEMORY && field->when <= HP_KNOWN_WITH_FREED)
		return hp_section_has_memory(model);
	if (field->when == HP_SHOWN_OF_SEVERAL)
		return model->processes > 1;
	return field->when == HP_SHOWN_ALWAYS || has_any(rows, field);
}

static void add_column(struct hp_grid *grid, const struct hp_field *field, double percent)
{
	struct hp_kind_rows *rows = grid->rows;

	rows->fields[grid->column_count] = field;
	rows->percents[grid->column_count] = percent;
	hp_kind_column(&grid->columns[grid->column_count], rows->kind, field, percent);
	if (is_name(field))
		grid->name = grid->column_count;
	grid->column_count++;
}

static void choose_columns(struct hp_grid *grid, const struct hp_section *section,
			   const struct hp_report_options *options)
{
	const struct hp_field *field = section->kind->fields;

	for (; !hp_field_is_end(field); field++) {
		unsigned times = hp_field_is_percentile(field) ? options->percentile_count : 1;

		if (!is_shown(section, grid->model, grid->rows, field))
			continue;
		for (unsigned j = 0; j < times; j++)
			add_column(grid, field, options->percentiles[j]);
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
	int order = strcmp(a->name, b->name);

	return order ? order : by_weight(left, right);
}

/* Set what rows are sorted by: their names, or the figure of a column. */
static void weigh(struct hp_kind_rows *rows, size_t column)
{
	const struct hp_field *field = rows->fields[column];

	for (size_t i = 0; i < rows->shown; i++) {
		struct hp_kind_row *item = &rows->items[i];
		if (is_name(field))
			item->name = hp_row_text(item->row, field->at);
		else
			item->weight = hp_kind_weight(field, item->row, &rows->totals,
						      rows->percents[column]);
	}
}

static void sort_rows(struct hp_grid *grid, const char *key, bool in_console)
{
	struct hp_kind_rows *rows = grid->rows;
	size_t at = 0;

	while (at < grid->column_count && strcasecmp(grid->columns[at].key, key) != 0)
		at++;
	bool keeps_order = rows->kind->keeps_order && !in_console;
	grid->sorted = at < grid->column_count && !keeps_order ? (int)at : -1;
	if (grid->sorted < 0)
		return;
	weigh(rows, at);
	qsort(rows->items, rows->shown, sizeof(*rows->items),
	      is_name(rows->fields[at]) ? by_name : by_weight);
}

/* ---- as a grid ---- */

static const void *row_of(const struct hp_grid *grid, size_t row)
{
	const struct hp_kind_rows *rows = grid->rows;

	return rows->items[row].row;
}

static const struct hp_entry *entry_of(const struct hp_grid *grid, size_t row)
{
	return row_of(grid, row);
}

static enum hp_paint write_cell(const struct hp_grid *grid, size_t row, size_t column,
				struct hp_text *text)
{
	const struct hp_kind_rows *rows = grid->rows;
	const struct hp_kind_row *item = &rows->items[row];
	enum hp_paint paint = hp_kind_cell(rows->fields[column], &rows->totals, item->row,
					   rows->percents[column], text);

	if (column == grid->name && item->needs_place && entry_of(grid, row)->file) {
		hp_text_puts(text, " (");
		hp_kind_put_place(entry_of(grid, row), text);
		hp_text_putc(text, ')');
	}
	return paint;
}

static uint64_t identity_of_entry(const struct hp_grid *grid, size_t row)
{
	const struct hp_entry *entry = entry_of(grid, row);

	return hp_grid_identity(entry->name, entry->line) ^ entry->site_kind;
}

static uint64_t identity_of(const struct hp_grid *grid, size_t row)
{
	const struct hp_kind_rows *rows = grid->rows;
	const void *item = row_of(grid, row);

	if (rows->kind->identity)
		return rows->kind->identity(item);
	const char *name = hp_kind_name_of(rows->kind, item);
	return hp_grid_identity(name ? name : "", 0);
}

static void close_rows(struct hp_grid *grid)
{
	struct hp_kind_rows *rows = grid->rows;

	if (rows) {
		free(rows->items);
		free(rows->groups);
	}
	free(rows);
}

/* The sum of what is not shown comes after the rows. */
static void add_rest(struct hp_grid *grid, struct hp_kind_rows *rows)
{
	if (!rows->kind->rest || !hp_row_has_counts(rows->kind->fields, &rows->rest))
		return;
	rows->items[rows->shown] = (struct hp_kind_row){ .row = &rows->rest };
	grid->tail = 1;
}

/* If only some rows count for the limit, or the kind chooses them, it is applied before rows are sorted by a column; else
   whoever draws does it. The console shows all. */
bool hp_kind_grid_open(struct hp_grid *grid, const struct hp_section *section,
		       const struct hp_model *model, const struct hp_report_options *options)
{
	static const struct hp_grid_kind of_entries = { write_cell, identity_of_entry, NULL,
							close_rows, entry_of };
	static const struct hp_grid_kind of_others = { write_cell, identity_of, NULL, close_rows };
	const struct hp_kind *kind = section->kind;
	struct hp_kind_rows *rows = calloc(1, sizeof(*rows));

	*grid = (struct hp_grid){ .kind = hp_kind_has_sites(kind) ? &of_entries : &of_others,
				  .model = model,
				  .rows = rows };
	if (!rows || !hp_kind_rows_select(rows, section, model, options, true) ||
	    !group_rows(rows, section, options))
		return false;
	rows->totals = hp_model_totals(model);
	grid->is_limited = !kind->limit || kind->is_limited ||
			   (kind->choose && !options->in_console);
	rows->shown = rows->count;
	if (grid->is_limited)
		hp_kind_rows_limit(rows, section, options, hp_section_limit);
	choose_columns(grid, section, options);
	sort_rows(grid, options->sort, options->in_console);
	grid->left_out = rows->count - rows->shown;
	add_rest(grid, rows);
	grid->row_count = rows->shown + grid->tail;
	return true;
}
