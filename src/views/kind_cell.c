/* SPDX-License-Identifier: MIT */
/* A field of a kind as the cell of a table. */
#include "kind_cell.h"

#include "file_name.h"
#include "format.h"
#include "value_text.h"

#include <inttypes.h>

uint64_t hp_kind_elapsed(const struct hp_model *model)
{
	return model->watched ? 0 : model->elapsed_ns;
}

static void put_number(const struct hp_kind_figure *figure, unsigned unit, struct hp_text *text)
{
	if (!figure->is_known)
		hp_text_putc(text, '-');
	else if (unit == HP_FIELD_DOUBLE)
		hp_double_text(text, figure->real);
	else if (unit == HP_FIELD_RATE)
		hp_text_puts(text, hp_format_rate(figure->real).text);
	else if (unit == HP_FIELD_SHARE || unit == HP_FIELD_PERCENT)
		hp_text_puts(text, hp_format_percent(figure->real).text);
	else if (unit == HP_FIELD_COUNT)
		hp_text_puts(text, hp_format_count(figure->whole).text);
	else if (unit == HP_FIELD_BYTES)
		hp_text_puts(text, hp_format_bytes(figure->whole).text);
	else if (unit == HP_FIELD_DIFFERENCE)
		hp_text_puts(text, hp_format_difference((int64_t)figure->whole).text);
	else
		hp_text_puts(text, hp_format_duration(figure->whole).text);
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

enum hp_paint hp_kind_cell(const struct hp_field *field, const struct hp_model *model,
			   const void *row, double percent, struct hp_text *text)
{
	bool is_word = field->unit == HP_FIELD_WORD && field->painted;

	if (field->put) {
		field->put(row, text);
	} else if (field->unit < HP_FIELD_TEXT) {
		struct hp_kind_figure figure = hp_kind_figure(field, row, hp_kind_elapsed(model),
							      percent);
		figure.is_known &= hp_model_knows(model, field);
		put_number(&figure, field->unit, text);
	} else {
		put_words(field, row, text);
	}
	return is_word && hp_row_number(row, field->at) == field->painted ? HP_PAINT_WARM
									  : HP_PAINT_PLAIN;
}
