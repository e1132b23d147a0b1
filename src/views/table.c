/* SPDX-License-Identifier: MIT */
/* A table drawn in plain text. */
#include "table.h"

#include "arithmetic.h"
#include "array.h"

#include <stdlib.h>
#include <string.h>

/* Characters of a name: in any case; and so many before columns are left out. */
enum { SHORTEST = 12, READABLE = 16 };

void hp_table_init(struct hp_table *table, size_t columns)
{
	*table = (struct hp_table){ .columns = columns, .texts = HP_TEXT_INIT };
}

void hp_table_head(struct hp_table *table, const char *names, size_t words)
{
	for (size_t i = 0; i < table->columns; i++) {
		if (i < words)
			table->align[i] = HP_ALIGN_LEFT;
		hp_table_cell(table, names, HP_PAINT_BOLD);
		names += strlen(names) + 1;
	}
}

void hp_table_cell(struct hp_table *table, const char *string, enum hp_paint paint)
{
	size_t start = table->texts.length;

	hp_text_put_printable(&table->texts, string);
	hp_text_add(&table->texts, "", 1);
	if (!hp_array_reserve(&table->cells, table->cell_count, &table->cell_room,
			      sizeof(*table->cells)))
		table->texts.failed = true;
	if (table->texts.failed)
		return;
	table->cells[table->cell_count++] = (struct hp_cell){
		.start = start,
		.width = hp_utf8_count(table->texts.bytes + start),
		.paint = paint,
	};
}

void hp_table_text_cell(struct hp_table *table, struct hp_text *cell, enum hp_paint paint)
{
	table->texts.failed |= cell->failed;
	hp_table_cell(table, cell->length ? cell->bytes : "", paint);
	cell->length = 0;
}

void hp_paint(struct hp_text *text, const char *string, enum hp_paint paint, bool colour)
{
	static const char codes[][8] = {
		[HP_PAINT_PLAIN] = "",		 [HP_PAINT_BOLD] = "\x1b[1m",
		[HP_PAINT_TITLE] = "\x1b[1;36m", [HP_PAINT_WARM] = "\x1b[33m",
		[HP_PAINT_HOT] = "\x1b[31m",	 [HP_PAINT_FINE] = "\x1b[32m",
	};
	bool painted = colour && paint != HP_PAINT_PLAIN;

	if (painted)
		hp_text_puts(text, codes[paint]);
	hp_text_puts(text, string);
	if (painted)
		hp_text_puts(text, "\x1b[0m");
}

/* The rest of a string after a number of characters. */
static const char *skip(const char *string, size_t characters)
{
	uint32_t code;

	while (characters--)
		string += hp_utf8_read(string, &code);
	return string;
}

static void put_shortened(struct hp_text *text, const char *string, size_t length, size_t width)
{
	size_t tail = (width - 1) / 2;
	size_t head = width - 1 - tail;

	hp_text_add(text, string, (size_t)(skip(string, head) - string));
	hp_text_puts(text, "…");
	hp_text_puts(text, skip(string, length - tail));
}

static void pad(struct hp_text *text, char c, size_t count)
{
	while (count--)
		hp_text_putc(text, c);
}

static void measure(const struct hp_table *table, size_t *widths)
{
	memset(widths, 0, table->columns * sizeof(*widths));
	for (size_t i = 0; i < table->cell_count; i++) {
		size_t *width = &widths[i % table->columns];
		if (table->cells[i].width > *width)
			*width = table->cells[i].width;
	}
}

/* Whether a column has no known value in any row, so that it is left out. Never the first, which names the rows. */
static bool is_unknown(const struct hp_table *table, size_t column)
{
	for (size_t i = table->columns + column; i < table->cell_count; i += table->columns)
		if (strcmp(table->texts.bytes + table->cells[i].start, "-") != 0)
			return false;
	return column > 0 && table->cell_count > table->columns;
}

/* Columns of width 0 are not drawn. */
static void hide_unknown(const struct hp_table *table, size_t *widths)
{
	for (size_t i = 0; i < table->columns; i++)
		if (is_unknown(table, i))
			widths[i] = 0;
}

/* The widest column that can be shortened to a width; NULL if there is none. */
static size_t *widest(const struct hp_table *table, size_t *widths, size_t shortest)
{
	size_t *width = NULL;

	for (size_t i = 0; i < table->columns; i++)
		if (table->align[i] == HP_ALIGN_LEFT && widths[i] > shortest &&
		    (!width || widths[i] > *width))
			width = &widths[i];
	return width;
}

static size_t whole_width(const struct hp_table *table, const size_t *widths)
{
	size_t whole = 1;

	for (size_t i = 0; i < table->columns; i++)
		whole += widths[i] ? widths[i] + 3 : 0;
	return whole;
}

/* Shorten the columns with names until the table fits, or they are as short as they may be. */
static void shorten(const struct hp_table *table, size_t *widths, size_t limit, size_t shortest)
{
	size_t whole = whole_width(table, widths), *width;

	for (; whole > limit && (width = widest(table, widths, shortest)); whole--)
		--*width;
}

/* The column with the highest rank that is drawn, the last one of several; the number of columns if all others stay. */
static size_t least_needed(const struct hp_table *table, const size_t *widths)
{
	size_t found = table->columns;

	for (size_t i = 0; i < table->columns; i++)
		if (widths[i] && table->rank[i] &&
		    (found == table->columns || table->rank[i] >= table->rank[found]))
			found = i;
	return found;
}

/* Leave out columns rather than shorten names to less than what can be read. */
static void leave_out(const struct hp_table *table, size_t *widths, size_t limit)
{
	size_t tried[HP_TABLE_COLUMNS_MAX], column;

	memcpy(tried, widths, sizeof(tried));
	shorten(table, tried, limit, READABLE);
	while (whole_width(table, tried) > limit &&
	       (column = least_needed(table, tried)) < table->columns)
		tried[column] = widths[column] = 0;
}

static void fit(const struct hp_table *table, size_t *widths, size_t limit)
{
	if (!limit)
		return;
	leave_out(table, widths, limit);
	shorten(table, widths, limit, SHORTEST);
}

/* Say which columns were left out, of those that have values. */
static void put_left_out(const struct hp_table *table, const size_t *before, const size_t *widths,
			 struct hp_text *text)
{
	bool is_first = true;

	for (size_t i = 0; i < table->columns; i++) {
		if (!before[i] || widths[i])
			continue;
		hp_text_puts(text, is_first ? "No room for: " : ", ");
		hp_text_puts(text, table->texts.bytes + table->cells[i].start);
		is_first = false;
	}
	if (!is_first)
		hp_text_puts(text, ".\n");
}

static void put_rule(const struct hp_table *table, const size_t *widths, struct hp_text *text)
{
	for (size_t i = 0; i < table->columns; i++) {
		if (!widths[i])
			continue;
		hp_text_putc(text, '+');
		pad(text, '-', widths[i] + 2);
	}
	hp_text_puts(text, "+\n");
}

static void put_cell(const struct hp_table *table, size_t at, size_t width, bool colour,
		     struct hp_text *text)
{
	const struct hp_cell *cell = &table->cells[at];
	const char *string = table->texts.bytes + cell->start;
	size_t space = hp_minus(width, cell->width);
	bool left = table->align[at % table->columns] == HP_ALIGN_LEFT;

	hp_text_puts(text, "| ");
	pad(text, ' ', left ? 0 : space);
	if (cell->width > width)
		put_shortened(text, string, cell->width, width);
	else
		hp_paint(text, string, cell->paint, colour);
	pad(text, ' ', left ? space + 1 : 1);
}

static void put_row(const struct hp_table *table, size_t first, const size_t *widths, bool colour,
		    struct hp_text *text)
{
	for (size_t i = 0; i < table->columns; i++)
		if (widths[i])
			put_cell(table, first + i, widths[i], colour, text);
	hp_text_puts(text, "|\n");
}

void hp_table_write(const struct hp_table *table, size_t width, bool colour, struct hp_text *text)
{
	size_t widths[HP_TABLE_COLUMNS_MAX] = { 0 }, before[HP_TABLE_COLUMNS_MAX];

	if (table->texts.failed) {
		text->failed = true;
		return;
	}
	measure(table, widths);
	hide_unknown(table, widths);
	memcpy(before, widths, sizeof(before));
	fit(table, widths, width);
	put_rule(table, widths, text);
	for (size_t i = 0; i + table->columns <= table->cell_count; i += table->columns) {
		put_row(table, i, widths, colour, text);
		if (i == 0)
			put_rule(table, widths, text);
	}
	put_rule(table, widths, text);
	put_left_out(table, before, widths, text);
}

void hp_table_free(struct hp_table *table)
{
	free(table->cells);
	hp_text_free(&table->texts);
}
