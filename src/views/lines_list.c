/* SPDX-License-Identifier: MIT */
/*
 * The lines of a function in the order of its source, with their text.
 *
 *	    Samples      Self  % Self     Total  Line  work, in work.c
 *	                                           10  for (i = 0; i < n; i++) {
 *	>       300  300 ms   75.00%   300 ms      11          sum += heavy(i);
 *	        100  100 ms   25.00%   100 ms      12          sum ^= i;
 *	                                           13  }
 */
#include "lines_list.h"

#include "file_name.h"
#include "format.h"
#include "kind_cell.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* Share of the function's samples from which a line is hot, in percent; and the lines shown around such. */
	HOT = 10,
	AROUND = 2,
	/* Columns in front of the text, and the least and most that a text has. */
	FIGURES = 48,
	NARROWEST = 20,
	WIDEST = 400,
};

struct entry {
	const struct hp_sampled_line *line;
	/* The first entry of the same function. */
	uint32_t group;
	bool is_shown;
};

struct listing {
	struct hp_sampled_lines *lines;
	const struct hp_cpu *cpu;
	const struct hp_report_options *options;
	struct hp_text *text;
	/* The entries of one function, by line; and the text of its file, or NULL. */
	const struct entry *entries;
	uint32_t count;
	const struct hp_source_text *source;
	/* The last line of the present function that was written. */
	uint32_t written;
	/* A file that was modified after the program was built. */
	const char *newer;
};

const struct hp_source_text *hp_line_source(struct hp_sampled_lines *lines,
					    const struct hp_cpu *cpu,
					    const struct hp_sampled_line *line)
{
	const struct hp_code *code = &lines->functions.items[line->function];
	const char *path = code->path ? code->path : code->file;

	if (!line->line || !path)
		return NULL;
	return hp_sources_find(&lines->sources, path,
			       code->module < 0 ? NULL : cpu->modules[code->module].path);
}

void hp_line_put_place(const struct hp_sampled_lines *lines, const struct hp_cpu *cpu,
		       const struct hp_sampled_line *line, struct hp_text *text)
{
	const struct hp_code *code = &lines->functions.items[line->function];
	const char *module = code->module < 0 ? NULL : cpu->modules[code->module].path;

	if (line->line)
		hp_text_printf(text, "%s:%" PRIu32, hp_file_name(code->file), line->line);
	else if (line->begin)
		hp_text_printf(text, "%s+0x%" PRIx64, code->name, line->address - line->begin);
	else if (line->address)
		hp_text_printf(text, "%s+0x%" PRIx64, module ? hp_file_name(module) : code->name,
			       line->address);
	else
		hp_text_puts(text, module ? hp_file_name(module) : "-");
}

void hp_line_put_function(const struct hp_sampled_lines *lines, const struct hp_sampled_line *line,
			  struct hp_text *text)
{
	hp_text_puts(text, lines->functions.items[line->function].name);
	if (line->around != HP_INDEX_NONE)
		hp_text_printf(text, " (in %s)", lines->functions.items[line->around].name);
}

/* ---- one line ---- */

/* A figure, to the right of its column. */
static void put_figure(const struct listing *listing, const char *figure, size_t width,
		       enum hp_paint paint)
{
	for (size_t i = hp_utf8_count(figure); i < width; i++)
		hp_text_putc(listing->text, ' ');
	hp_paint(listing->text, figure, paint, listing->options->colour);
}

static double share_of(const struct listing *listing, uint64_t samples)
{
	uint64_t whole = listing->lines->samples;

	return whole ? (double)samples * 100 / (double)whole : 0;
}

static bool is_hot(const struct listing *listing, const struct hp_sampled_line *line)
{
	return share_of(listing, line->samples) >= HOT;
}

/* Columns are empty where there are no samples. */
static void put_figures(const struct listing *listing, const struct hp_sampled_line *line)
{
	uint64_t period_ns = listing->cpu->period_ns;
	uint64_t self = line ? line->self : 0, samples = line ? line->samples : 0;
	double share = share_of(listing, self);

	put_figure(listing, samples && is_hot(listing, line) ? ">" : "", 1, HP_PAINT_BOLD);
	put_figure(listing, self ? hp_format_count(self).text : "", 9, HP_PAINT_PLAIN);
	put_figure(listing, self ? hp_format_duration(self * period_ns).text : "", 11,
		   HP_PAINT_PLAIN);
	put_figure(listing, self ? hp_format_percent(share).text : "", 8, hp_share_paint(share));
	put_figure(listing, samples ? hp_format_duration(samples * period_ns).text : "", 11,
		   HP_PAINT_PLAIN);
}

static void end_line(struct hp_text *text)
{
	while (text->length && text->bytes[text->length - 1] == ' ')
		text->length--;
	hp_text_putc(text, '\n');
}

/* The columns for a text. */
static size_t room_of(const struct listing *listing)
{
	size_t width = listing->options->width;

	if (!width)
		return WIDEST;
	return width > FIGURES + NARROWEST ? width - FIGURES : NARROWEST;
}

static void put_line(struct listing *listing, const struct hp_sampled_line *line, uint32_t number)
{
	struct hp_text *text = listing->text;

	put_figures(listing, line);
	if (number)
		hp_text_printf(text, " %5" PRIu32 "  ", number);
	else
		hp_text_puts(text, "        ");
	if (!hp_source_put_line(listing->source, number, room_of(listing), text) && line) {
		struct hp_text place = HP_TEXT_INIT;
		hp_line_put_place(listing->lines, listing->cpu, line, &place);
		hp_text_put_printable(text, place.length ? place.bytes : "");
		hp_text_free(&place);
	}
	end_line(text);
	listing->written = number;
}

/* ---- one function ---- */

static const struct hp_sampled_line *find_line(const struct listing *listing, uint32_t number)
{
	for (uint32_t i = 0; i < listing->count; i++)
		if (listing->entries[i].line->line == number)
			return listing->entries[i].line;
	return NULL;
}

/* Write lines up to a number, those that were written excepted. */
static void put_lines(struct listing *listing, uint32_t from, uint32_t to)
{
	if (from <= listing->written)
		from = listing->written + 1;
	else if (listing->written && from > listing->written + 1)
		hp_text_printf(listing->text, "%*s\n", FIGURES - 1, "…");
	for (; from <= to; from++)
		put_line(listing, find_line(listing, from), from);
}

static void put_entry(struct listing *listing, const struct hp_sampled_line *line)
{
	uint32_t around = listing->source && is_hot(listing, line) ? AROUND : 0;
	uint32_t from = line->line > around ? line->line - around : 1;
	uint32_t last = line->line + around;

	if (!line->line) {
		put_line(listing, line, 0);
		return;
	}
	if (listing->source && last > listing->source->count)
		last = listing->source->count;
	put_lines(listing, from, last > line->line ? last : line->line);
}

/* Names of C++ may be longer than a line. */
static void put_name(const struct listing *listing, const char *name, size_t room)
{
	struct hp_text *text = listing->text;
	size_t begin = text->length, left = room;
	uint32_t code;

	hp_text_put_printable(text, name);
	if (text->failed || hp_utf8_count(text->bytes + begin) <= room)
		return;
	while (--left)
		begin += hp_utf8_read(text->bytes + begin, &code);
	text->length = begin;
	hp_text_puts(text, "…");
}

static void put_title(const struct listing *listing)
{
	const struct hp_sampled_line *line = listing->entries[0].line;
	const struct hp_code *code = &listing->lines->functions.items[line->function];
	struct hp_text name = HP_TEXT_INIT;

	put_figure(listing, "Samples", 10, HP_PAINT_BOLD);
	put_figure(listing, "Self", 11, HP_PAINT_BOLD);
	put_figure(listing, "% Self", 8, HP_PAINT_BOLD);
	put_figure(listing, "Total", 11, HP_PAINT_BOLD);
	put_figure(listing, "Line", 6, HP_PAINT_BOLD);
	hp_text_puts(listing->text, "  ");
	hp_line_put_function(listing->lines, line, &name);
	size_t file = code->file ? 2 + hp_utf8_count(hp_file_name(code->file)) : 0;
	size_t room = room_of(listing);
	put_name(listing, name.length ? name.bytes : "",
		 room > file + NARROWEST ? room - file : NARROWEST);
	hp_text_free(&name);
	if (code->file) {
		hp_text_puts(listing->text, ", ");
		hp_text_put_printable(listing->text, hp_file_name(code->file));
	}
	hp_text_putc(listing->text, '\n');
}

static void put_function(struct listing *listing)
{
	bool is_first = true;

	listing->written = 0;
	for (uint32_t i = 0; i < listing->count; i++) {
		if (!listing->entries[i].is_shown)
			continue;
		if (is_first)
			put_title(listing);
		is_first = false;
		listing->source = hp_line_source(listing->lines, listing->cpu,
						 listing->entries[i].line);
		if (listing->source && listing->source->is_newer)
			listing->newer = hp_file_name(listing->source->path);
		put_entry(listing, listing->entries[i].line);
	}
}

/* ---- all of them ---- */

/* The function itself first, then what was inlined in it, the hottest first. */
static int by_place(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	bool inlined = a->line->around != HP_INDEX_NONE;

	if (inlined != (b->line->around != HP_INDEX_NONE))
		return inlined ? 1 : -1;
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->line->line != b->line->line)
		return a->line->line < b->line->line ? -1 : 1;
	return (a->line->address > b->line->address) - (a->line->address < b->line->address);
}

static void set_entries(struct entry *entries, const struct hp_sampled_lines *lines, uint32_t most)
{
	for (uint32_t i = 0; i < lines->count; i++) {
		const struct hp_sampled_line *line = &lines->items[i];
		uint32_t group = 0;
		while (lines->items[group].function != line->function ||
		       lines->items[group].around != line->around)
			group++;
		entries[i] = (struct entry){ line, group, i < most };
	}
	if (lines->count)
		qsort(entries, lines->count, sizeof(*entries), by_place);
}

static void put_functions(struct listing *listing, const struct entry *entries)
{
	for (uint32_t i = 0; i < listing->lines->count; i += listing->count) {
		listing->entries = &entries[i];
		listing->count = 1;
		while (i + listing->count < listing->lines->count &&
		       entries[i + listing->count].group == entries[i].group)
			listing->count++;
		put_function(listing);
	}
}

uint32_t hp_lines_list(struct hp_sampled_lines *lines, const struct hp_cpu *cpu, uint32_t most,
		       const struct hp_report_options *options, struct hp_text *text)
{
	struct listing listing = { .lines = lines, .cpu = cpu, .options = options, .text = text };
	struct entry *entries = calloc((size_t)lines->count + 1, sizeof(*entries));

	if (entries) {
		set_entries(entries, lines, most);
		put_functions(&listing, entries);
	}
	text->failed |= !entries;
	free(entries);
	if (listing.newer) {
		hp_text_puts(text, "The text may differ: ");
		hp_text_put_printable(text, listing.newer);
		hp_text_puts(text, " was modified after the program was built.\n");
	}
	return lines->count > most ? lines->count - most : 0;
}
