/* SPDX-License-Identifier: MIT */
/* Plain columns: a heading, rows, two blanks between them, no border. */
#include "listing.h"

#include "array.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void listing_init(struct listing *listing, const char *const *headings)
{
	*listing = (struct listing){ .headings = headings };
	while (headings[listing->columns])
		listing->columns++;
	assert(listing->columns <= LISTING_COLUMNS);
}

/* Takes the cell over. */
static void add_cell(struct listing *listing, char *cell)
{
	if (!cell ||
	    !hp_array_reserve(&listing->cells, listing->count, &listing->room, sizeof(cell))) {
		free(cell);
		listing->failed = true;
		return;
	}
	listing->cells[listing->count++] = cell;
}

void listing_add(struct listing *listing, const char *format, ...)
{
	struct hp_text clean = HP_TEXT_INIT;
	char *raw = NULL;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&raw, format, arguments) < 0)
		raw = NULL;
	va_end(arguments);
	if (raw)
		hp_text_put_printable(&clean, raw);
	hp_text_add(&clean, "", 0);
	free(raw);
	if (clean.failed || !raw) {
		hp_text_free(&clean);
		listing->failed = true;
		return;
	}
	add_cell(listing, clean.bytes ? clean.bytes : strdup(""));
}

static const char *heading(const struct listing *listing, size_t column)
{
	const char *name = listing->headings[column];

	return name + (*name == '>');
}

static size_t next_column(const struct listing *listing, size_t column)
{
	return column + 1 == listing->columns ? 0 : column + 1;
}

static void find_widths(const struct listing *listing, size_t *widths)
{
	for (size_t column = 0; column < listing->columns; column++)
		widths[column] = hp_utf8_count(heading(listing, column));
	for (size_t i = 0, column = 0; i < listing->count; i++) {
		size_t width = hp_utf8_count(listing->cells[i]);
		if (width > widths[column])
			widths[column] = width;
		column = next_column(listing, column);
	}
}

static void write_cell(const struct listing *listing, size_t column, const char *cell, size_t width,
		       struct hp_text *text)
{
	bool last = column + 1 == listing->columns;
	int blanks = (int)(width - hp_utf8_count(cell));

	if (*listing->headings[column] == '>')
		hp_text_printf(text, "%*s%s%s", blanks, "", cell, last ? "\n" : "  ");
	else if (last)
		hp_text_printf(text, "%s\n", cell);
	else
		hp_text_printf(text, "%s%*s  ", cell, blanks, "");
}

void listing_write(const struct listing *listing, struct hp_text *text)
{
	size_t widths[LISTING_COLUMNS] = { 0 };
	bool headed = false;

	find_widths(listing, widths);
	for (size_t column = 0; column < listing->columns; column++)
		headed |= *heading(listing, column) != '\0';
	for (size_t column = 0; headed && column < listing->columns; column++)
		write_cell(listing, column, heading(listing, column), widths[column], text);
	for (size_t i = 0, column = 0; i < listing->count; i++) {
		write_cell(listing, column, listing->cells[i], widths[column], text);
		column = next_column(listing, column);
	}
	text->failed |= listing->failed;
}

void listing_free(struct listing *listing)
{
	for (size_t i = 0; i < listing->count; i++)
		free(listing->cells[i]);
	free(listing->cells);
	*listing = (struct listing){ 0 };
}
