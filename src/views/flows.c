/* SPDX-License-Identifier: MIT */
/* The sections about async work and data flow: channels, streams, futures, event loops, and values to be seen. */
#include "flow_rows.h"

#include <stdlib.h>

const struct hp_flow_kind hp_flow_kinds[HP_FLOW_SECTIONS] = {
	[HP_FLOW_CHANNELS] = { "Channel", "delay", "Messages through channels.", HP_SITE_CHANNEL,
			       HP_SITE_CHANNEL, 1 << HP_FLOW_CHANNELS | 1 << HP_FLOW_LATENCY },
	[HP_FLOW_LATENCY] = { "Channel", "delay", "Time of messages from send to receive.",
			      HP_SITE_CHANNEL, HP_SITE_CHANNEL,
			      1 << HP_FLOW_CHANNELS | 1 << HP_FLOW_LATENCY },
	[HP_FLOW_STREAMS] = { "Stream", "", "Items that streams yielded.", HP_SITE_STREAM,
			      HP_SITE_STREAM, 1 << HP_FLOW_STREAMS },
	[HP_FLOW_FUTURES] = { "Future", "lifetime", "Polls and lifetimes of futures.",
			      HP_SITE_FUTURE, HP_SITE_FUTURE, 1 << HP_FLOW_FUTURES },
	[HP_FLOW_LOOPS] = { "Loop", "busy", "Turns of event loops; while one is busy, events wait.",
			    HP_SITE_LOOP, HP_SITE_LOOP, 1 << HP_FLOW_LOOPS },
	[HP_FLOW_DEBUG] = { "Key/Expr", "", "The last values of expressions, keys and gauges.",
			    HP_SITE_DBG, HP_SITE_GAUGE, 1 << HP_FLOW_DEBUG },
};

/* Nothing is left out of what the program wants to be seen. */
static void write_json(const struct hp_section *section, enum hp_flow_section nth,
		       const struct hp_model *model, const struct hp_report_options *options,
		       struct hp_json *json)
{
	struct hp_flow_rows rows;

	json->text->failed |= !hp_flow_rows_select(&rows, nth, model, options);
	size_t shown = nth == HP_FLOW_DEBUG ? rows.count
					    : hp_section_limit(section, options, rows.count);
	hp_flow_json(&rows, shown, model, options, json);
	free(rows.items);
}

static bool are_timed(const struct hp_model *model)
{
	for (size_t i = 0; i < model->flows.count; i++)
		if (model->flows.items[i].kind == HP_SITE_CHANNEL &&
		    model->flows.items[i].times.count)
			return true;
	return false;
}

static bool is_shown(const struct hp_model *model, enum hp_flow_section nth)
{
	return nth == HP_FLOW_LATENCY ? are_timed(model) : hp_flow_has_rows(model, nth);
}

/* A section is a line: its name in C and its number; then its members. */
#define SECTION(of, nth, ...)                                                                      \
	static const char *describe_##of(const struct hp_report_options *options)                  \
	{                                                                                          \
		(void)options;                                                                     \
		return hp_flow_kinds[nth].sentence;                                                \
	}                                                                                          \
	static bool has_##of(const struct hp_model *model)                                         \
	{                                                                                          \
		return hp_flow_has_rows(model, nth);                                               \
	}                                                                                          \
	static bool is_##of##_automatic(const struct hp_model *model,                              \
					const struct hp_report_options *options)                   \
	{                                                                                          \
		(void)options;                                                                     \
		return is_shown(model, nth);                                                       \
	}                                                                                          \
	static bool open_##of(struct hp_grid *grid, const struct hp_model *model,                  \
			      const struct hp_report_options *options)                             \
	{                                                                                          \
		return hp_flow_grid_open(grid, nth, model, options);                               \
	}                                                                                          \
	static void write_##of(const struct hp_model *model,                                       \
			       const struct hp_report_options *options, struct hp_json *json)      \
	{                                                                                          \
		write_json(&hp_section_##of, nth, model, options, json);                           \
	}                                                                                          \
	const struct hp_section hp_section_##of = { .describe = describe_##of,                     \
						    .is_automatic = is_##of##_automatic,           \
						    .is_available = has_##of,                      \
						    .open_grid = open_##of,                        \
						    .write_json = write_##of,                      \
						    __VA_ARGS__ }

#define CHANNEL_HINT "HOTPATH_CHANNEL_NEW makes one, --probes=glib sees queues of GLib"

SECTION(channels, HP_FLOW_CHANNELS, .name = "channels", .json_key = "channels", .noun = "channel",
	.hint = CHANNEL_HINT, .limit = HP_LIMIT_CHANNELS);
SECTION(latency, HP_FLOW_LATENCY, .name = "channels-latency", .aliases = "channels",
	.json_key = "channels", .noun = "channel", .hint = CHANNEL_HINT,
	.limit = HP_LIMIT_CHANNELS);
SECTION(streams, HP_FLOW_STREAMS, .name = "streams", .json_key = "streams", .noun = "stream",
	.hint = "HOTPATH_STREAM_NEW makes one", .limit = HP_LIMIT_STREAMS);
SECTION(futures, HP_FLOW_FUTURES, .name = "futures", .json_key = "futures", .noun = "future",
	.hint = "HOTPATH_FUTURE_NEW makes one, --probes=glib and uv see others",
	.limit = HP_LIMIT_FUTURES);
SECTION(loops, HP_FLOW_LOOPS, .name = "loops", .json_key = "loops", .noun = "event loop",
	.hint = "hotpath run --probes=glib or uv sees them", .limit = HP_LIMIT_LOOPS);
SECTION(debug, HP_FLOW_DEBUG, .name = "debug", .json_key = "debug", .noun = "value",
	.hint = "HOTPATH_DBG, HOTPATH_VAL and HOTPATH_GAUGE_SET show them");
