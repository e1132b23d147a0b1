/* SPDX-License-Identifier: MIT */
/* The rows of a kind in JSON. */
#include "function_json.h"
#include "kind_rows.h"
#include "value_text.h"

#include <stdlib.h>

static void put_percentiles(struct hp_json *json, const struct hp_field *field,
			    const struct hp_entry *entry, const struct hp_report_options *options)
{
	for (unsigned i = 0; i < options->percentile_count; i++) {
		double percent = options->percentiles[i];
		hp_json_percentile_key(json, field->key, percent, "ns");
		hp_json_u64(json, hp_kind_figure(field, entry, 0, percent).whole);
	}
}

static void put_number(struct hp_json *json, const struct hp_field *field,
		       const struct hp_model *model, const struct hp_entry *entry)
{
	struct hp_kind_figure figure = hp_kind_figure(field, entry, hp_kind_elapsed(model), 0);
	bool is_real = field->unit == HP_FIELD_RATE || field->unit == HP_FIELD_SHARE ||
		       field->unit == HP_FIELD_DOUBLE;

	if (!figure.is_known)
		hp_json_null(json);
	else if (is_real)
		hp_json_double(json, figure.real);
	else
		hp_json_u64(json, figure.whole);
}

/* The same word as in the table. */
static void put_cell(struct hp_json *json, const struct hp_field *field,
		     const struct hp_model *model, const struct hp_entry *entry)
{
	struct hp_text text = HP_TEXT_INIT;

	hp_kind_cell(field, model, entry, 0, &text);
	json->text->failed |= text.failed;
	hp_json_string(json, text.bytes);
	hp_text_free(&text);
}

static void put_words(struct hp_json *json, const struct hp_field *field,
		      const struct hp_model *model, const struct hp_entry *entry)
{
	uint64_t number = field->unit == HP_FIELD_TEXT ? 0 : hp_entry_number(entry, field->at);

	switch (field->unit) {
	case HP_FIELD_TEXT:
		hp_json_string(json, entry->texts[field->at]);
		break;
	case HP_FIELD_VALUE:
		hp_value_json(json, (uint32_t)number, hp_entry_number(entry, field->at + 1U),
			      entry->texts[0]);
		break;
	case HP_FIELD_VALUE_KIND:
		hp_json_string(json,
			       hp_value_names[number < HP_VALUE_NAMES ? number : HP_VALUE_NONE]);
		break;
	case HP_FIELD_PLACE:
		hp_json_place(json, entry->file, entry->line);
		break;
	case HP_FIELD_LABELLED:
		hp_json_bool(json, entry->is_labelled);
		break;
	default:
		put_cell(json, field, model, entry);
	}
}

/* Some figures exist if they were recorded, and histograms if the report is to be loaded again. */
static bool has_member(const struct hp_field *field, const struct hp_model *model, bool complete)
{
	if (field->when == HP_SHOWN_WITH_MEMORY && !hp_section_has_memory(model))
		return false;
	return field->key && (complete || field->unit != HP_FIELD_HISTOGRAM);
}

static void put_member(struct hp_json *json, const struct hp_field *field,
		       const struct hp_model *model, const struct hp_report_options *options,
		       const struct hp_entry *entry)
{
	if (field->unit == HP_FIELD_PERCENTILE) {
		put_percentiles(json, field, entry, options);
		return;
	}
	if (field->unit == HP_FIELD_HISTOGRAM) {
		hp_json_points(json, field->key, &hp_entry_times(entry, field->at)->points);
		return;
	}
	hp_json_key(json, field->key);
	if (field->unit < HP_FIELD_TEXT)
		put_number(json, field, model, entry);
	else
		put_words(json, field, model, entry);
}

static void put_entry(struct hp_json *json, const struct hp_model *model,
		      const struct hp_report_options *options, const struct hp_entry *entry)
{
	const struct hp_field *field = entry->kind->fields;

	hp_json_begin_object(json);
	for (; !hp_field_is_end(field); field++)
		if (has_member(field, model, options->complete))
			put_member(json, field, model, options, entry);
	hp_json_end_object(json);
}

void hp_kind_json(const struct hp_section *section, const struct hp_model *model,
		  const struct hp_report_options *options, struct hp_json *json)
{
	struct hp_kind_rows rows;

	json->text->failed |= !hp_kind_rows_select(&rows, section->kind, model, options);
	size_t shown = section->kind->limit ? hp_section_limit(section, options, rows.count)
					    : rows.count;
	hp_json_begin_object(json);
	hp_json_percentiles(json, options);
	hp_json_member_u64(json, "total_count", rows.count);
	hp_json_member_u64(json, "included_count", shown);
	hp_json_key(json, "data");
	hp_json_begin_array(json);
	for (size_t i = 0; i < shown; i++)
		put_entry(json, model, options, rows.items[i].entry);
	hp_json_end_array(json);
	hp_json_end_object(json);
	free(rows.items);
}
