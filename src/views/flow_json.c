/* SPDX-License-Identifier: MIT */
/* Channels, streams, futures, loops and values in JSON. */
#include "flow_rows.h"
#include "function_json.h"
#include "value_text.h"

#include <stdio.h>

static void put_percentiles(struct hp_json *json, const struct hp_flow *flow, const char *times,
			    const struct hp_report_options *options)
{
	const struct hp_flow_column column = { .unit = HP_FLOW_PERCENTILE };

	for (unsigned i = 0; i < options->percentile_count; i++) {
		double percent = options->percentiles[i];
		struct hp_flow_figure figure = hp_flow_figure(&column, NULL, flow, percent);
		hp_json_percentile_key(json, times, percent, "ns");
		hp_json_u64(json, figure.whole);
	}
}

static void put_number(struct hp_json *json, const struct hp_flow_column *column,
		       const struct hp_model *model, const struct hp_flow *flow)
{
	struct hp_flow_figure figure = hp_flow_figure(column, model, flow, 0);
	bool is_real = column->unit == HP_FLOW_RATE || column->unit == HP_FLOW_NUMBER;

	if (!figure.is_known)
		hp_json_null(json);
	else if (is_real)
		hp_json_double(json, figure.real);
	else
		hp_json_u64(json, figure.whole);
}

static void put_type(struct hp_json *json, const struct hp_flow *flow)
{
	struct hp_text text = HP_TEXT_INIT;

	hp_flow_put_type(flow, &text);
	json->text->failed |= text.failed;
	hp_json_string(json, text.bytes);
	hp_text_free(&text);
}

static void put_value_kind(struct hp_json *json, uint32_t kind)
{
	static const char names[][8] = { "none", "int",	    "uint",  "double",
					 "bool", "pointer", "string" };

	hp_json_string(json, names[kind < sizeof(names) / sizeof(*names) ? kind : HP_VALUE_NONE]);
}

static void put_word(struct hp_json *json, const struct hp_flow_column *column,
		     const struct hp_flow *flow)
{
	uint32_t kind = hp_flow_value_kind(flow);

	if (column->unit == HP_FLOW_TYPE)
		put_type(json, flow);
	else if (column->unit == HP_FLOW_STATE)
		hp_json_string(json, hp_flow_state_name(flow));
	else if (column->unit == HP_FLOW_SLOWEST)
		hp_json_string(json, flow->slowest);
	else if (column->unit == HP_FLOW_VALUE)
		hp_value_json(json, kind, flow->value, flow->text);
	else if (column->unit == HP_FLOW_VALUE_KIND)
		put_value_kind(json, kind);
	else if (column->unit == HP_FLOW_PLACE)
		hp_json_place(json, flow->file, flow->line);
	else if (column->unit == HP_FLOW_LABELLED)
		hp_json_bool(json, flow->is_labelled);
	else
		hp_json_string(json, flow->name);
}

/* Some figures are there if they were recorded, and histograms if the report is to be loaded again. */
static bool has_member(const struct hp_flow_column *column, const struct hp_model *model,
		       bool complete)
{
	if (column->when == HP_FLOW_IF_MEMORY && !hp_section_has_memory(model))
		return false;
	return column->key[0] && (complete || column->unit != HP_FLOW_POINTS);
}

/* "delay_avg_ns" for "_avg_ns". */
static void put_member(struct hp_json *json, const struct hp_flow_column *column, const char *times,
		       const struct hp_model *model, const struct hp_flow *flow)
{
	char key[40];

	snprintf(key, sizeof(key), "%s%s", column->key[0] == '_' ? times : "", column->key);
	if (column->unit == HP_FLOW_POINTS) {
		hp_json_points(json, key, &flow->times.points);
		return;
	}
	hp_json_key(json, key);
	if (column->unit < HP_FLOW_NAME)
		put_number(json, column, model, flow);
	else
		put_word(json, column, flow);
}

static void put_flow(struct hp_json *json, const struct hp_flow_kind *kind,
		     const struct hp_model *model, const struct hp_report_options *options,
		     const struct hp_flow *flow)
{
	hp_json_begin_object(json);
	for (size_t i = 0; i < hp_flow_column_count; i++) {
		const struct hp_flow_column *column = &hp_flow_columns[i];
		if (!(column->sections & kind->sections) ||
		    !has_member(column, model, options->complete))
			continue;
		if (column->unit == HP_FLOW_PERCENTILE)
			put_percentiles(json, flow, kind->times, options);
		else
			put_member(json, column, kind->times, model, flow);
	}
	hp_json_end_object(json);
}

void hp_flow_json(const struct hp_flow_rows *rows, size_t shown, const struct hp_model *model,
		  const struct hp_report_options *options, struct hp_json *json)
{
	hp_json_begin_object(json);
	hp_json_percentiles(json, options);
	hp_json_member_u64(json, "total_count", rows->count);
	hp_json_member_u64(json, "included_count", shown);
	hp_json_key(json, "data");
	hp_json_begin_array(json);
	for (size_t i = 0; i < shown; i++)
		put_flow(json, &hp_flow_kinds[rows->section], model, options, rows->items[i].flow);
	hp_json_end_array(json);
	hp_json_end_object(json);
}
