/* SPDX-License-Identifier: MIT */
/* The rows of a kind in JSON. */
#include "fields_json.h"
#include "function_json.h"
#include "kind_rows.h"
#include "value_text.h"

#include <stdlib.h>

static void put_percentiles(struct hp_json *json, const struct hp_field *field, const void *row,
			    const struct hp_report_options *options)
{
	const char *unit = field->unit == HP_FIELD_BYTES   ? "bytes"
			   : field->unit == HP_FIELD_COUNT ? "count"
							   : "ns";
	bool has_null = field->percentile && field->when != HP_ZERO_IF_UNKNOWN;

	for (unsigned i = 0; i < options->percentile_count; i++) {
		double percent = options->percentiles[i];
		struct hp_kind_figure figure = hp_kind_figure(field, row, NULL, percent);
		hp_json_percentile_key(json, field->key, percent, unit);
		if (!figure.is_known && has_null)
			hp_json_null(json);
		else
			hp_json_u64(json, figure.whole);
	}
}

static void put_number(struct hp_json *json, const struct hp_field *field,
		       const struct hp_totals *totals, const void *row)
{
	struct hp_kind_figure figure = hp_kind_figure(field, row, totals, 0);

	if (!figure.is_known && field->when == HP_ZERO_IF_UNKNOWN)
		hp_json_u64(json, 0);
	else if (!figure.is_known || !hp_totals_know(totals, field))
		hp_json_null(json);
	else if (field->unit == HP_FIELD_DIFFERENCE)
		hp_json_i64(json, (int64_t)figure.whole);
	else if (field->unit > HP_FIELD_PERCENTILE)
		hp_json_double(json, figure.real);
	else
		hp_json_u64(json, figure.whole);
}

/* Write a cell as a string, with the text of the table. */
static void put_cell(struct hp_json *json, const struct hp_field *field,
		     const struct hp_totals *totals, const void *row)
{
	struct hp_text text = HP_TEXT_INIT;

	hp_kind_cell(field, totals, row, 0, &text);
	json->text->failed |= text.failed;
	hp_json_string(json, text.bytes);
	hp_text_free(&text);
}

static void put_value(struct hp_json *json, const struct hp_field *field,
		      const struct hp_entry *entry)
{
	uint64_t kind = hp_row_number(entry, field->at);

	if (field->unit == HP_FIELD_VALUE_KIND)
		hp_json_string(json, hp_value_names[kind < HP_VALUE_NAMES ? kind : HP_VALUE_NONE]);
	else
		hp_value_json(json, (uint32_t)kind, hp_row_number(entry, HP_SLOT_NEXT(field->at)),
			      entry->texts[0]);
}

static void put_words(struct hp_json *json, const struct hp_field *field,
		      const struct hp_totals *totals, const void *row)
{
	const struct hp_entry *entry = row;

	switch (field->unit) {
	case HP_FIELD_NAME:
	case HP_FIELD_TEXT:
		hp_json_string(json, hp_row_text(row, field->at));
		break;
	case HP_FIELD_WORD:
		hp_json_string(json, hp_kind_word(field, row));
		break;
	case HP_FIELD_VALUE:
	case HP_FIELD_VALUE_KIND:
		put_value(json, field, entry);
		break;
	case HP_FIELD_PLACE:
		hp_json_place(json, entry->file, entry->line);
		break;
	case HP_FIELD_BOOL:
		hp_json_bool(json, hp_row_number(row, field->at));
		break;
	default:
		put_cell(json, field, totals, row);
	}
}

/* Histograms are for a report that is to be loaded again, and for the page. */
static bool wants_histograms(const struct hp_report_options *options)
{
	return options->complete || options->in_page;
}

/* Some figures exist if they were recorded. */
static bool has_member(const struct hp_field *field, const struct hp_totals *totals,
		       bool with_histograms)
{
	bool is_always = field->when != HP_SHOWN_WITH_MEMORY &&
			 field->when != HP_SHOWN_WATCHED_ONLY;

	if (!is_always && !hp_totals_know(totals, field))
		return false;
	return field->key && (with_histograms || field->unit != HP_FIELD_HISTOGRAM);
}

static void put_member(struct hp_json *json, const struct hp_field *field,
		       const struct hp_totals *totals, const struct hp_report_options *options,
		       const void *row)
{
	if (hp_field_is_percentile(field)) {
		put_percentiles(json, field, row, options);
		return;
	}
	if (field->unit == HP_FIELD_HISTOGRAM) {
		hp_json_points(json, field->key, &hp_entry_times(row, field->at)->points,
			       options->in_page);
		return;
	}
	hp_json_key(json, field->key);
	if (field->unit < HP_FIELD_TEXT)
		put_number(json, field, totals, row);
	else
		put_words(json, field, totals, row);
}

/* Two fields may have one key: JSON has that of the depth which was asked for. */
static bool is_other_depth(const struct hp_field *field, const struct hp_totals *totals)
{
	return field->varies && (field->depth == HP_EXCLUSIVE) != totals->exclusive;
}

void hp_fields_json(struct hp_json *json, const struct hp_field *fields, unsigned table,
		    const struct hp_totals *totals, const struct hp_report_options *options,
		    const void *row)
{
	for (const struct hp_field *field = fields; !hp_field_is_end(field); field++)
		if ((table == HP_ANY_TABLE || field->table == table) &&
		    field->unit != HP_FIELD_POINTS && has_member(field, totals, false) &&
		    !is_other_depth(field, totals))
			put_member(json, field, totals, options, row);
}

void hp_histograms_json(struct hp_json *json, const struct hp_field *fields,
			const struct hp_report_options *options, const void *row)
{
	if (!wants_histograms(options))
		return;
	for (const struct hp_field *field = fields; !hp_field_is_end(field); field++)
		if (field->unit == HP_FIELD_POINTS)
			hp_json_points(json, field->key, hp_row_points(row, field->at),
				       options->in_page);
}

/* A row; or the sum of several, which has only some of its figures. */
static void put_row(struct hp_json *json, const struct hp_kind_rows *rows,
		    const struct hp_report_options *options, const void *row, bool is_sum)
{
	hp_json_begin_object(json);
	for (const struct hp_field *field = rows->kind->fields; !hp_field_is_end(field); field++)
		if (has_member(field, &rows->totals, wants_histograms(options)) &&
		    (!is_sum || hp_field_is_of_sums(field)))
			put_member(json, field, &rows->totals, options, row);
	if (rows->more && !is_sum)
		rows->section->write_more(rows->more, options, row, json);
	hp_json_end_object(json);
}

static void put_rows(struct hp_json *json, const struct hp_kind_rows *rows,
		     const struct hp_report_options *options)
{
	hp_json_member_u64(json, "total_count", rows->count);
	hp_json_member_u64(json, "included_count", rows->shown);
	hp_json_key(json, "data");
	hp_json_begin_array(json);
	for (size_t i = 0; i < rows->shown; i++)
		put_row(json, rows, options, rows->items[i].row, false);
	hp_json_end_array(json);
	if (rows->kind->rest) {
		hp_json_key(json, rows->kind->rest);
		put_row(json, rows, options, &rows->rest, true);
	}
}

void hp_kind_json(const struct hp_section *section, const struct hp_model *model,
		  const struct hp_report_options *options, struct hp_json *json)
{
	struct hp_kind_rows rows;

	if (section->is_recorded && !section->is_recorded(model)) {
		hp_json_null(json);
		return;
	}
	json->text->failed |= !hp_kind_rows_select(&rows, section, model, options, false);
	/* If the others count for a sum, programs get all rows unless somebody has said how many. */
	hp_kind_rows_limit(&rows, section, options,
			   section->kind->rest ? hp_section_json_limit : hp_section_limit);
	hp_json_begin_object(json);
	if (section->write_head)
		section->write_head(model, json);
	else
		hp_json_percentiles(json, options);
	rows.totals = hp_model_totals(model);
	rows.section = section;
	rows.more = section->open_more ? section->open_more(model, options, json->text) : NULL;
	put_rows(json, &rows, options);
	if (rows.more)
		section->close_more(rows.more);
	hp_json_end_object(json);
	free(rows.items);
}
