/* SPDX-License-Identifier: MIT */
/* What is special about the section "timing": how long functions took. */
#include "fields_json.h"
#include "format.h"
#include "function_json.h"
#include "function_table.h"
#include "nothing.h"
#include "report.h"

#include <math.h>
#include <stdlib.h>

enum {
	/* Functions that were not timed all the time and are named in the note: those with the most calls. */
	NAMED = 3,
};

/* Whether there are rows with ~ for this reason. Functions that were not timed all the time have a line of their own. */
static bool has_mostly_cost(const struct hp_model *model, enum hp_field_depth depth)
{
	for (size_t i = 0; i < model->function_count; i++) {
		const struct hp_function *function = &model->functions[i];
		if (function->measured == HP_MEASURED_TIMED &&
		    hp_function_is_mostly_cost(function, depth, model->span_ns))
			return true;
	}
	return false;
}

static uint64_t all_calls(const struct hp_function *function)
{
	return function->calls + function->counted;
}

/* Find the functions that were not timed all the time. Returns how many there are, and those with the most calls in
   `named`, NULL where there are fewer. */
static size_t find_untimed(const struct hp_model *model, const struct hp_function *named[NAMED])
{
	size_t count = 0;

	for (size_t i = 0; i < model->function_count; i++) {
		const struct hp_function *function = &model->functions[i];
		if (function->measured == HP_MEASURED_TIMED || !hp_function_was_called(function))
			continue;
		count++;
		for (unsigned j = 0; j < NAMED && function; j++) {
			const struct hp_function *other = named[j];
			if (other && all_calls(other) >= all_calls(function))
				continue;
			named[j] = function;
			function = other;
		}
	}
	return count;
}

static void write_untimed(const struct hp_model *model, struct hp_text *text)
{
	const struct hp_function *named[NAMED] = { NULL };
	size_t count = find_untimed(model, named);
	if (!count)
		return;

	hp_text_printf(text, "%s called too often to time every call within --max-overhead:",
		       count == 1 ? "A function with ~ was" : "Functions with ~ were");
	for (unsigned i = 0; i < NAMED && named[i]; i++)
		hp_text_printf(text, "%s %s", i ? "," : "", named[i]->name);
	if (count > NAMED)
		hp_text_printf(text, " and %zu more", count - NAMED);
	hp_text_puts(text, ".\n");
}

static bool write_notes(const struct hp_section *section, const struct hp_model *model,
			const struct hp_report_options *options, struct hp_text *text)
{
	double cost = hp_report_cost_percent(model);
	bool marked = has_mostly_cost(model, options->time_exclusive ? HP_EXCLUSIVE : HP_INCLUSIVE);

	(void)section;
	if (cost > HP_COST_PERCENT)
		hp_text_printf(text, "Measuring took %s of the time.%s",
			       hp_format_percent(cost).text, marked ? " " : "\n");
	if (marked)
		hp_text_puts(text,
			     "For rows with ~, measuring took longer than the function itself.\n");
	write_untimed(model, text);
	if (model->dropped[HP_COUNTER_unpatched])
		hp_text_puts(text,
			     "The system, or a filter of the program, forbids to change code: "
			     "--max-overhead was not kept, or functions are missing.\n");
	return true;
}

static const struct hp_measure inclusive = { &hp_kind_timing, 0, false };
static const struct hp_measure exclusive = { &hp_kind_timing, 0, true };

/* A share is null if it is one of some calls only. */
static double share_of(const struct hp_measure *measure, const struct hp_totals *totals,
		       const struct hp_function *function)
{
	return hp_function_is_timed(function) ? hp_measure_share(measure, totals, function)
					      : (double)NAN;
}

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
	hp_json_double(json, share_of(&inclusive, totals, function));
	hp_json_key(json, "percent_self");
	hp_json_double(json, share_of(&exclusive, &with_caller, function));
	hp_json_member_bool(json, "mostly_cost",
			    hp_function_is_mostly_cost(function, HP_INCLUSIVE, totals->call_ns));
	hp_json_member_bool(json, "self_mostly_cost",
			    hp_function_is_mostly_cost(function, HP_EXCLUSIVE, totals->call_ns));
	hp_json_caller(json, function);
	hp_json_location(json, function);
	hp_histograms_json(json, hp_call_fields, options, function);
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
