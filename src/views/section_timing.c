/* SPDX-License-Identifier: MIT */
/* What is special about the section "timing": how long functions took. */
#include "fields_json.h"
#include "format.h"
#include "function_json.h"
#include "function_table.h"
#include "nothing.h"
#include "report.h"

#include <stdlib.h>

static bool has_mostly_cost(const struct hp_model *model)
{
	for (size_t i = 0; i < model->function_count; i++)
		if (hp_function_is_mostly_cost(&model->functions[i], model->span_ns))
			return true;
	return false;
}

static bool write_notes(const struct hp_section *section, const struct hp_model *model,
			const struct hp_report_options *options, struct hp_text *text)
{
	double cost = hp_report_cost_percent(model);
	bool marked = has_mostly_cost(model);

	(void)section, (void)options;
	if (cost > HP_COST_PERCENT)
		hp_text_printf(text, "Measuring took %s of the time.%s",
			       hp_format_percent(cost).text, marked ? " " : "\n");
	if (marked)
		hp_text_puts(text,
			     "For rows with ~, measuring took longer than the function itself.\n");
	return true;
}

static const struct hp_measure inclusive = { &hp_kind_timing, 0, false };
static const struct hp_measure exclusive = { &hp_kind_timing, 0, true };

static void put_function(struct hp_json *json, const struct hp_totals *totals,
			 const struct hp_report_options *options,
			 const struct hp_function *function)
{
	struct hp_totals with_caller = *totals;

	with_caller.whole = 0;
	hp_json_begin_object(json);
	hp_json_name(json, function);
	hp_fields_json(json, hp_call_fields, HP_ANY_TABLE, totals, options, function);
	hp_json_key(json, "percent_total");
	hp_json_double(json, hp_measure_share(&inclusive, totals, function));
	hp_json_key(json, "percent_self");
	hp_json_double(json, hp_measure_share(&exclusive, &with_caller, function));
	hp_json_member_bool(json, "mostly_cost",
			    hp_function_is_mostly_cost(function, totals->call_ns));
	hp_json_caller(json, function);
	hp_json_location(json, function);
	if (options->complete)
		hp_histograms_json(json, hp_call_fields, function);
	hp_json_end_object(json);
}

static void write_json(const struct hp_section *section, const struct hp_model *model,
		       const struct hp_report_options *options, struct hp_json *json)
{
	struct hp_totals totals = hp_measure_totals(&inclusive, model, options);
	struct hp_measure measure = hp_section_measure(section, options);
	struct hp_rows rows;

	json->text->failed |= !hp_rows_select(&rows, model, options, &measure);
	hp_json_begin_object(json);
	hp_json_percentiles(json, options);
	hp_json_member_bool(json, "exclusive", options->time_exclusive);
	hp_rows_json(&rows, hp_section_limit(section, options, rows.count), put_function, &totals,
		     options, json);
	hp_json_end_object(json);
	free(rows.items);
}

static bool is_exclusive(const struct hp_report_options *options)
{
	return options->time_exclusive;
}

/* An empty table is left out if there are allocations, CPU time or data flow. */
static bool is_automatic(const struct hp_model *model, const struct hp_report_options *options)
{
	(void)options;
	return hp_model_has_calls(model) ||
	       !(hp_section_has_memory(model) || hp_section_has_cpu(model) || model->entries.count);
}

const struct hp_section hp_section_special_timing = {
	.kind = &hp_kind_timing,
	.is_exclusive = is_exclusive,
	.is_automatic = is_automatic,
	.why_nothing = hp_nothing_measured,
	.write_notes = write_notes,
	.write_json = write_json,
};
