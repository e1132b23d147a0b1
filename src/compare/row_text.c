/* SPDX-License-Identifier: MIT */
/* What the table and the markdown format share. */
#include "row_text.h"

#include "cell_text.h"
#include "file_name.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Priority for removing columns if there is no room: higher goes first; rank decides within each. */
enum priority {
	STAYS = 0,
	EXACT_CHANGED = 1000,
	INTERVAL = 2000,
	CHANGED = 3000,
	OTHER = 4000,
	RANK_MAX = 999,
};

struct hp_shown_rows hp_compare_changed(const struct hp_compared_section *section)
{
	struct hp_shown_rows rows = { section->rows, 0 };

	while (rows.count < section->row_count && section->rows[rows.count].has_changed)
		rows.count++;
	return rows;
}

size_t hp_compare_deciding(const struct hp_compared_section *section)
{
	for (size_t i = 0; i < section->column_count; i++)
		if (section->columns[i].metric->decides)
			return i;
	return HP_NO_COLUMN;
}

static bool is_change(enum hp_judged judged)
{
	return judged >= HP_JUDGED_FASTER;
}

static bool is_one_sided(const struct hp_compared_row *row)
{
	return row->presence == HP_NEW || row->presence == HP_REMOVED;
}

static bool is_known(const struct hp_compared_section *section, const struct hp_compared_row *row,
		     size_t column)
{
	if (column < section->column_count)
		return !isnan(row->cells[column].before_median) ||
		       !isnan(row->cells[column].after_median);
	size_t deciding = hp_compare_deciding(section);
	return deciding != HP_NO_COLUMN && !is_one_sided(row) &&
	       hp_compare_has_interval(&row->cells[deciding].ratio);
}

static bool any_known(const struct hp_compared_section *section, struct hp_shown_rows rows,
		      size_t column)
{
	for (size_t i = 0; i < rows.count; i++)
		if (is_known(section, &rows.first[i], column))
			return true;
	return false;
}

/* Rows that are new or removed differ in every column, so they do not count for this one. */
static bool any_changed(struct hp_shown_rows rows, size_t column)
{
	for (size_t i = 0; i < rows.count; i++)
		if (!is_one_sided(&rows.first[i]) && is_change(rows.first[i].cells[column].judged))
			return true;
	return false;
}

/* Whether any change of this metric matters: it is exact, and not neutral. */
static bool is_telling(const struct hp_metric *metric)
{
	return metric->kind == HP_COMPARED_EXACT && !metric->is_neutral;
}

static unsigned priority(const struct hp_compared_section *section, struct hp_shown_rows rows,
			 size_t column)
{
	if (column == section->column_count)
		return INTERVAL;
	const struct hp_metric *metric = section->columns[column].metric;
	unsigned rank = metric->rank < RANK_MAX ? metric->rank : RANK_MAX;

	if (metric->decides || rank == 0)
		return STAYS;
	if (!any_changed(rows, column))
		return OTHER + rank;
	return is_telling(metric) ? EXACT_CHANGED + rank : CHANGED + rank;
}

static size_t width_of(const struct hp_compared_section *section, struct hp_shown_rows rows,
		       size_t column)
{
	size_t width = hp_utf8_count(hp_compare_header(section, column));
	struct hp_text cell = HP_TEXT_INIT;

	for (size_t i = 0; i < rows.count; i++) {
		cell.length = 0;
		hp_compare_put_cell(section, &rows.first[i], column, &cell);
		size_t characters = cell.failed ? 0 : hp_utf8_count(cell.bytes);
		if (characters > width)
			width = characters;
	}
	hp_text_free(&cell);
	return width;
}

static void add_column(struct hp_shown_columns *shown, size_t column)
{
	if (shown->count < HP_SHOWN_MAX)
		shown->items[shown->count++] = column;
}

/* Add all columns with values: the deciding one first, with its interval. */
static void add_known(const struct hp_compared_section *section, struct hp_shown_rows rows,
		      struct hp_shown_columns *shown)
{
	size_t deciding = hp_compare_deciding(section);

	if (deciding != HP_NO_COLUMN && any_known(section, rows, deciding))
		add_column(shown, deciding);
	if (any_known(section, rows, section->column_count))
		add_column(shown, section->column_count);
	for (size_t i = 0; i < section->column_count; i++)
		if (i != deciding && any_known(section, rows, i))
			add_column(shown, i);
}

/* The next best column not considered yet; the number of columns if all were. */
static size_t find_next(const struct hp_shown_columns *known, const unsigned *priorities,
			const bool *is_done)
{
	size_t next = known->count;

	for (size_t i = 0; i < known->count; i++)
		if (!is_done[i] && (next == known->count || priorities[i] < priorities[next]))
			next = i;
	return next;
}

/* Mark the columns that fit; if one is too wide, a narrower one may still fit. */
static void choose(const struct hp_shown_columns *known, const unsigned *priorities,
		   const size_t *widths, size_t width, size_t most, bool *is_chosen)
{
	bool is_done[HP_SHOWN_MAX] = { false };
	size_t whole = 0, count = 0, at;

	while ((at = find_next(known, priorities, is_done)) < known->count) {
		is_done[at] = true;
		is_chosen[at] = priorities[at] == STAYS ||
				(count < most && whole + widths[at] <= width);
		count += is_chosen[at];
		whole += is_chosen[at] ? widths[at] : 0;
	}
}

void hp_compare_choose(const struct hp_compared_section *section, struct hp_shown_rows rows,
		       size_t width, size_t most, struct hp_shown_columns *shown)
{
	struct hp_shown_columns known = { .count = 0 };
	unsigned priorities[HP_SHOWN_MAX];
	size_t widths[HP_SHOWN_MAX];
	bool is_chosen[HP_SHOWN_MAX];

	add_known(section, rows, &known);
	for (size_t i = 0; i < known.count; i++) {
		priorities[i] = priority(section, rows, known.items[i]);
		widths[i] = width ? width_of(section, rows, known.items[i]) + 3 : 0;
	}
	choose(&known, priorities, widths, width, most, is_chosen);
	shown->count = 0;
	for (size_t i = 0; i < known.count; i++)
		if (is_chosen[i])
			add_column(shown, known.items[i]);
}

const char *hp_compare_header(const struct hp_compared_section *section, size_t column)
{
	return column < section->column_count ? section->columns[column].header : "Interval";
}

static enum hp_paint paint_of(enum hp_judged judged)
{
	static const enum hp_paint paints[] = {
		[HP_JUDGED_NOT] = HP_PAINT_PLAIN,    [HP_JUDGED_SAME] = HP_PAINT_PLAIN,
		[HP_JUDGED_UNCLEAR] = HP_PAINT_WARM, [HP_JUDGED_FASTER] = HP_PAINT_FINE,
		[HP_JUDGED_SLOWER] = HP_PAINT_HOT,   [HP_JUDGED_LESS] = HP_PAINT_FINE,
		[HP_JUDGED_MORE] = HP_PAINT_HOT,
	};

	return paints[judged];
}

bool hp_compare_is_unstable(const struct hp_compared_section *section,
			    const struct hp_compared_row *row, size_t column)
{
	return column < section->column_count &&
	       section->columns[column].metric->kind == HP_COMPARED_EXACT &&
	       !row->cells[column].is_stable && is_known(section, row, column);
}

static enum hp_paint put_figure(const struct hp_compared_row *row,
				const struct hp_compared_cell *cell, const struct hp_metric *metric,
				struct hp_text *text)
{
	if (row->presence == HP_NEW)
		hp_compare_put_value(cell->after_median, metric->unit, text);
	else if (row->presence == HP_REMOVED)
		hp_compare_put_value(cell->before_median, metric->unit, text);
	else
		hp_compare_put_change(cell, metric->unit, text);
	/* Unclear cells are not painted: most rows have one, and the verdict says it. */
	if (is_one_sided(row) || !is_change(cell->judged))
		return HP_PAINT_PLAIN;
	return metric->is_neutral ? HP_PAINT_BOLD : paint_of(cell->judged);
}

enum hp_paint hp_compare_put_cell(const struct hp_compared_section *section,
				  const struct hp_compared_row *row, size_t column,
				  struct hp_text *text)
{
	if (column < section->column_count) {
		if (hp_compare_is_unstable(section, row, column))
			hp_text_putc(text, '~');
		return put_figure(row, &row->cells[column], section->columns[column].metric, text);
	}
	if (is_known(section, row, column))
		hp_compare_put_interval(&row->cells[hp_compare_deciding(section)].ratio, text);
	else
		hp_text_putc(text, '-');
	return HP_PAINT_PLAIN;
}

/* The column of the exact figure that differs most; HP_NO_COLUMN if none does. */
static size_t find_exact(const struct hp_compared_section *section,
			 const struct hp_compared_row *row)
{
	size_t found = HP_NO_COLUMN;

	for (size_t i = 0; i < section->column_count; i++)
		if (is_telling(section->columns[i].metric) && is_change(row->cells[i].judged) &&
		    (found == HP_NO_COLUMN || row->cells[i].judged > row->cells[found].judged))
			found = i;
	return found;
}

/* Begin a word of a verdict. */
static void put_comma(struct hp_text *text, size_t start)
{
	if (text->length > start)
		hp_text_puts(text, ", ");
}

/* "more calls". */
static enum hp_paint put_exact(const struct hp_compared_section *section,
			       const struct hp_compared_row *row, size_t column,
			       struct hp_text *text)
{
	const char *header = section->columns[column].header;
	enum hp_judged judged = row->cells[column].judged;

	hp_text_printf(text, "%s %c%s", hp_judged_name(judged), tolower((unsigned char)header[0]),
		       header[0] ? header + 1 : "");
	return paint_of(judged);
}

/* Add words to the verdict by time if counts or the name differ. */
static enum hp_paint put_words(const struct hp_compared_section *section,
			       const struct hp_compared_row *row, struct hp_text *text)
{
	size_t exact = find_exact(section, row), start = text->length;
	enum hp_paint paint = paint_of(row->judged);

	hp_text_puts(text, hp_judged_name(row->judged));
	if (!is_change(row->judged) && exact != HP_NO_COLUMN) {
		put_comma(text, start);
		paint = put_exact(section, row, exact, text);
	}
	if (row->presence == HP_RENAMED) {
		put_comma(text, start);
		hp_text_puts(text, "renamed");
		paint = paint == HP_PAINT_PLAIN ? HP_PAINT_WARM : paint;
	}
	return paint;
}

enum hp_paint hp_compare_put_verdict(const struct hp_compared_section *section,
				     const struct hp_compared_row *row, struct hp_text *text)
{
	if (is_one_sided(row)) {
		hp_text_puts(text, row->presence == HP_NEW ? "new" : "removed");
		return HP_PAINT_WARM;
	}
	if (row->is_minor) {
		hp_text_puts(text, "minor");
		return HP_PAINT_PLAIN;
	}
	return put_words(section, row, text);
}

bool hp_compare_has_twin(const struct hp_compared_section *section,
			 const struct hp_compared_row *row)
{
	for (size_t i = 0; i < section->row_count; i++)
		if (&section->rows[i] != row && strcmp(section->rows[i].name, row->name) == 0)
			return true;
	return false;
}

void hp_compare_put_place(const struct hp_compared_row *row, struct hp_text *text)
{
	if (!row->file)
		return;
	hp_text_puts(text, hp_file_name(row->file));
	if (row->line)
		hp_text_printf(text, ":%" PRIu32, row->line);
}
