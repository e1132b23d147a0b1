/* SPDX-License-Identifier: MIT */
/* A field of a kind as the cell of a table. */
#include "kind_cell.h"

#include "bars.h"
#include "file_name.h"
#include "format.h"
#include "value_text.h"

#include <inttypes.h>
#include <stdio.h>

/* Characters of the last minute: five seconds each. */
enum { MINUTE_WIDTH = 12 };

enum hp_paint hp_share_paint(double share)
{
	if (share >= 50)
		return HP_PAINT_HOT;
	return share >= 20 ? HP_PAINT_WARM : HP_PAINT_PLAIN;
}

static void put_number(const struct hp_kind_figure *figure, unsigned unit, struct hp_text *text)
{
	if (!figure->is_known)
		hp_text_putc(text, '-');
	else if (unit == HP_FIELD_DOUBLE)
		hp_double_text(text, figure->real);
	else if (unit == HP_FIELD_RATE || unit == HP_FIELD_TREND)
		hp_text_puts(text, hp_format_rate(figure->real).text);
	else if (unit == HP_FIELD_SHARE || unit == HP_FIELD_PART || unit == HP_FIELD_PERCENT)
		hp_text_puts(text, hp_format_percent(figure->real).text);
	else if (unit == HP_FIELD_COUNT || unit == HP_FIELD_CALLS)
		hp_text_puts(text, hp_format_count(figure->whole).text);
	else if (unit == HP_FIELD_BYTES)
		hp_text_puts(text, hp_format_bytes(figure->whole).text);
	else if (unit == HP_FIELD_DIFFERENCE)
		hp_text_puts(text, hp_format_difference((int64_t)figure->whole).text);
	else
		hp_text_puts(text, hp_format_duration(figure->whole).text);
}

static void put_open(const struct hp_function *function, const struct hp_totals *totals,
		     struct hp_text *text)
{
	if (function->open)
		hp_text_printf(text, totals->watched ? " +%s" : " +%s open",
			       hp_format_count(function->open).text);
}

/* Calls that were only counted are calls all the same. */
static void add_counted(const struct hp_function *function, struct hp_kind_figure *figure,
			struct hp_text *text)
{
	figure->whole += function->counted;
	if (function->measured == HP_MEASURED_PARTLY)
		hp_text_putc(text, '~');
}

static enum hp_paint put_minute(const struct hp_field *field, const void *row, struct hp_text *text)
{
	const struct hp_trend *trend = (const void *)(uintptr_t)hp_row_number(row, field->at);

	if (trend)
		hp_bars_line(trend->seconds, HP_TREND_SECONDS, MINUTE_WIDTH, text);
	return HP_PAINT_TITLE;
}

static enum hp_paint put_figure(const struct hp_field *field, const struct hp_totals *totals,
				const void *row, double percent, struct hp_text *text)
{
	struct hp_kind_figure figure = hp_kind_figure(field, row, totals, percent);

	figure.is_known &= hp_totals_know(totals, field);
	if (field->is_rough && figure.is_known &&
	    hp_function_is_rough(row, field->depth, totals->call_ns))
		hp_text_putc(text, '~');
	if (field->unit == HP_FIELD_CALLS)
		add_counted(row, &figure, text);
	put_number(&figure, field->unit, text);
	if (field->unit == HP_FIELD_CALLS)
		put_open(row, totals, text);
	return field->whole ? hp_share_paint(figure.real) : HP_PAINT_PLAIN;
}

/* A text, and the time that goes with it. */
static void put_text(const struct hp_field *field, const void *row, struct hp_text *text)
{
	const char *string = hp_row_text(row, field->at);
	uint64_t ns = hp_row_number(row, field->over);

	if (string)
		hp_text_puts(text, string);
	if (string && ns)
		hp_text_putc(text, ' ');
	if (ns)
		hp_text_puts(text, hp_format_duration(ns).text);
	if (!string && !ns)
		hp_text_putc(text, '-');
}

void hp_kind_put_place(const struct hp_entry *entry, struct hp_text *text)
{
	if (entry->file)
		hp_text_printf(text, "%s:%" PRIu32, hp_file_name(entry->file), entry->line);
}

const char *hp_kind_word(const struct hp_field *field, const void *row)
{
	uint64_t word = hp_row_number(row, field->at);

	return field->words[word < field->word_count ? word : 0];
}

static void put_words(const struct hp_field *field, const void *row, struct hp_text *text)
{
	const struct hp_entry *entry = row;

	switch (field->unit) {
	case HP_FIELD_TEXT:
		put_text(field, row, text);
		break;
	case HP_FIELD_WORD:
		hp_text_puts(text, hp_kind_word(field, row));
		break;
	case HP_FIELD_VALUE:
		hp_value_text(text, (uint32_t)hp_row_number(row, field->at),
			      hp_row_number(row, HP_SLOT_NEXT(field->at)), entry->texts[0]);
		break;
	case HP_FIELD_PLACE:
		hp_kind_put_place(entry, text);
		break;
	default:
		hp_text_puts(text, hp_row_text(row, field->at));
	}
}

enum hp_paint hp_kind_cell(const struct hp_field *field, const struct hp_totals *totals,
			   const void *row, double percent, struct hp_text *text)
{
	bool is_word = field->unit == HP_FIELD_WORD && field->painted;

	if (field->put)
		field->put(row, text);
	else if (field->unit == HP_FIELD_MINUTE)
		return put_minute(field, row, text);
	else if (field->unit < HP_FIELD_TEXT)
		return put_figure(field, totals, row, percent, text);
	else
		put_words(field, row, text);
	return is_word && hp_row_number(row, field->at) == field->painted ? HP_PAINT_WARM
									  : HP_PAINT_PLAIN;
}

void hp_kind_column(struct hp_grid_column *into, const struct hp_kind *kind,
		    const struct hp_field *field, double percent)
{
	bool is_name = field->unit == HP_FIELD_NAME;
	struct hp_figure number = { "" };

	if (hp_field_is_percentile(field))
		number = hp_format_decimal(percent);
	into->align = field->unit < HP_FIELD_TEXT ? HP_ALIGN_RIGHT : HP_ALIGN_LEFT;
	into->rank = field->rank;
	snprintf(into->header, sizeof(into->header), "%s%s", is_name ? kind->header : field->header,
		 number.text);
	if (field->sort)
		snprintf(into->key, sizeof(into->key), "%s%s", field->sort, number.text);
	else
		snprintf(into->key, sizeof(into->key), "%s", into->header);
}
