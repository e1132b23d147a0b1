/* SPDX-License-Identifier: MIT */
/*
 * What is special about the sections "alloc-bytes" and "alloc-count": what functions allocated.
 *
 * They differ only in what is counted; in JSON they are one section with both.
 */
#include "alloc_mode.h"
#include "fields_json.h"
#include "format.h"
#include "function_json.h"
#include "function_table.h"
#include "nothing.h"
#include "outside_malloc.h"

#include <stdlib.h>

static bool is_exclusive(const struct hp_report_options *options)
{
	return !options->alloc_cumulative;
}

static bool write_notes(const struct hp_section *section, const struct hp_model *model,
			const struct hp_report_options *options, struct hp_text *text)
{
	const struct hp_memory *memory = &model->memory;

	(void)options;
	hp_text_printf(text, "Total: %s\n",
		       section->table == HP_ALLOC_TABLE_COUNT
			       ? hp_format_count(memory->count).text
			       : hp_format_bytes(memory->bytes).text);
	hp_outside_write(model, text);
	return true;
}

/* ---- JSON ---- */

/* The measure that --alloc-metric asks for, whichever section JSON is written for. */
static struct hp_measure measure_of(const struct hp_report_options *options)
{
	return (struct hp_measure){ &hp_kind_alloc,
				    options->alloc_count ? HP_ALLOC_TABLE_COUNT
							 : HP_ALLOC_TABLE_BYTES,
				    is_exclusive(options) };
}

static void put_function(struct hp_json *json, const struct hp_totals *totals,
			 const struct hp_report_options *options,
			 const struct hp_function *function)
{
	struct hp_measure measure = measure_of(options);

	hp_json_begin_object(json);
	hp_json_name(json, function);
	hp_fields_json(json, hp_alloc_fields, HP_ANY_TABLE, totals, options, function);
	hp_json_key(json, "percent_total");
	hp_json_double(json, hp_measure_share(&measure, totals, function));
	hp_json_caller(json, function);
	hp_json_location(json, function);
	hp_histograms_json(json, hp_alloc_fields, options, function);
	hp_json_end_object(json);
}

static void put_totals(struct hp_json *json, const struct hp_memory *memory,
		       const struct hp_report_options *options)
{
	bool frees = memory->mode >= HP_ALLOC_FREED;

	hp_json_key(json, "mode");
	hp_json_string(json, hp_alloc_mode_name(memory->mode));
	hp_json_key(json, "cumulative");
	hp_json_bool(json, options->alloc_cumulative);
	hp_json_member_u64(json, "total_bytes", memory->bytes);
	hp_json_member_u64(json, "total_blocks", memory->count);
	hp_json_member_known(json, "freed_bytes", memory->freed_bytes, frees);
	hp_json_member_known(json, "freed_blocks", memory->freed_count, frees);
	hp_outside_json(&memory->outside, json);
}

static void write_json(const struct hp_section *section, const struct hp_model *model,
		       const struct hp_report_options *options, struct hp_json *json)
{
	struct hp_measure measure = measure_of(options);
	struct hp_totals totals = hp_measure_totals(&measure, model, options);
	struct hp_rows rows;

	if (model->memory.mode == HP_ALLOC_NONE) {
		hp_json_null(json);
		return;
	}
	json->text->failed |= !hp_rows_select(&rows, model, options, &measure);
	hp_json_begin_object(json);
	hp_json_percentiles(json, options);
	put_totals(json, &model->memory, options);
	hp_rows_json(&rows, hp_section_limit(section, options, rows.count), put_function, &totals,
		     options, json);
	hp_json_end_object(json);
	free(rows.items);
}

/* ---- the section ---- */

static bool is_preferred(const struct hp_section *section, const struct hp_report_options *options)
{
	return options->alloc_count == (section->table == HP_ALLOC_TABLE_COUNT);
}

static bool is_automatic(const struct hp_model *model, const struct hp_report_options *options)
{
	(void)options;
	return hp_section_wants_memory(model);
}

const struct hp_section hp_section_special_alloc = {
	.kind = &hp_kind_alloc,
	.is_preferred = is_preferred,
	.is_exclusive = is_exclusive,
	.is_automatic = is_automatic,
	.is_available = hp_section_wants_memory,
	.write_notes = write_notes,
	.why_nothing = hp_nothing_allocated,
	.write_json = write_json,
};
