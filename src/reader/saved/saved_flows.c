/* SPDX-License-Identifier: MIT */
/* What a saved report knows of channels, streams, futures, event loops and values. */
#include "saved_flows.h"

#include "saved_points.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a value must be ---- */

/* Which of some words it is; -1 for none of them. */
static int find_word(struct json_object *value, const char *const *words, int count)
{
	const char *word = json_object_get_string(value);

	for (int i = 0; i < count; i++)
		if (words[i] && strcmp(words[i], word) == 0)
			return i;
	return -1;
}

static bool read_state(struct json_object *value, void *into)
{
	static const char *const words[] = {
		[HP_FLOW_ACTIVE] = "active",
		[HP_FLOW_FULL] = "full",
		[HP_FLOW_CLOSED] = "closed",
		[HP_FLOW_NOTIFIED] = "notified",
	};
	int state = find_word(value, words, HP_FLOW_STATES);

	*(enum hp_flow_state *)into = state < 0 ? HP_FLOW_ACTIVE : (enum hp_flow_state)state;
	return state >= 0;
}

/* The others follow from the capacity. */
static bool read_channel_type(struct json_object *value, void *into)
{
	if (!json_object_is_type(value, json_type_string))
		return false;
	*(bool *)into = strcmp(json_object_get_string(value), "oneshot") == 0;
	return true;
}

static bool read_entry_type(struct json_object *value, void *into)
{
	static const char *const words[] = { "dbg", "val", "gauge" };
	int type = find_word(value, words, sizeof(words) / sizeof(*words));

	*(enum hp_site_kind *)into = (enum hp_site_kind)(HP_SITE_DBG + (type < 0 ? 0 : type));
	return type >= 0;
}

static bool read_value_kind(struct json_object *value, void *into)
{
	static const char *const words[] = {
		[HP_VALUE_NONE] = "none",     [HP_VALUE_INT] = "int",
		[HP_VALUE_UINT] = "uint",     [HP_VALUE_DOUBLE] = "double",
		[HP_VALUE_BOOL] = "bool",     [HP_VALUE_POINTER] = "pointer",
		[HP_VALUE_STRING] = "string",
	};
	int kind = find_word(value, words, sizeof(words) / sizeof(*words));

	*(uint32_t *)into = kind < 0 ? HP_VALUE_NONE : (uint32_t)kind;
	return kind >= 0;
}

/* A gauge may be below 0. */
static bool read_double(struct json_object *value, void *into)
{
	if (!json_object_is_type(value, json_type_double) &&
	    !json_object_is_type(value, json_type_int))
		return false;
	*(double *)into = json_object_get_double(value);
	return isfinite(*(double *)into);
}

static const struct hp_saved_type state_type = { read_state, "active, full, closed or notified" };
static const struct hp_saved_type channel_type = { read_channel_type, "a type of channel" };
static const struct hp_saved_type entry_type = { read_entry_type, "dbg, val or gauge" };
static const struct hp_saved_type value_kind_type = { read_value_kind, "a kind of value" };
static const struct hp_saved_type double_type = { read_double, "a number" };

/* ---- fields ---- */

#define U64(key, member)                                                                           \
	{                                                                                          \
		key, &hp_saved_type_u64, offsetof(struct hp_flow, member)                          \
	}

/* Each section has some of them; its name and place, every row. */
static const struct hp_saved_field flow_fields[] = {
	{ "name", &hp_saved_type_string, offsetof(struct hp_flow, name) },
	{ "expression", &hp_saved_type_string, offsetof(struct hp_flow, name) },
	{ "has_custom_label", &hp_saved_type_boolean, offsetof(struct hp_flow, is_labelled) },
	U64("instances", instances),
	U64("call_count", instances),
	U64("closed_instances", closed),
	U64("ended_count", closed),
	{ "state", &state_type, offsetof(struct hp_flow, state) },
	{ "channel_type", &channel_type, offsetof(struct hp_flow, is_oneshot) },
	U64("capacity", capacity),
	U64("sent_count", sent),
	U64("items_yielded", sent),
	U64("received_count", received),
	U64("sent_bytes", bytes),
	U64("yielded_bytes", bytes),
	U64("queue_size", queued),
	U64("max_queue_size", most_queued),
	U64("waited_ns", waited_ns),
	U64("cancelled_count", cancelled),
	U64("total_polls", polls.count),
	U64("total_poll_duration_ns", polls.total_ns),
	U64("max_poll_duration_ns", polls.max_ns),
	U64("total_poll_alloc_bytes", polls.bytes),
	U64("total_poll_alloc_count", polls.blocks),
	U64("total_queue_ns", queued_ns),
	U64("total_service_ns", served_ns),
	U64("idle_ns", idle_ns),
	U64("callback_ns", callback_ns),
	U64("callback_count", callbacks),
	U64("slowest_callback_ns", slowest_ns),
	{ "slowest_callback", &hp_saved_type_string, offsetof(struct hp_flow, slowest) },
	{ "entry_type", &entry_type, offsetof(struct hp_flow, kind) },
	U64("log_count", updates),
	{ "value_kind", &value_kind_type, offsetof(struct hp_flow, value_kind) },
	{ "min", &double_type, offsetof(struct hp_flow, min) },
	{ "max", &double_type, offsetof(struct hp_flow, max) },
	{ NULL, NULL, 0 },
};

static const struct hp_saved_field place_fields[] = {
	{ "file", &hp_saved_type_string, offsetof(struct hp_flow, file) },
	{ "line", &hp_saved_type_u32, offsetof(struct hp_flow, line) },
	{ NULL, NULL, 0 },
};

/* After what the section calls them. */
static const struct {
	const char *key;
	size_t offset;
} times_fields[] = {
	{ "sampled_count", offsetof(struct hp_flow_times, count) },
	{ "sum_ns", offsetof(struct hp_flow_times, sum_ns) },
	{ "min_ns", offsetof(struct hp_flow_times, min_ns) },
	{ "max_ns", offsetof(struct hp_flow_times, max_ns) },
};

static const struct section {
	const char *key;
	enum hp_site_kind kind;
	/* NULL when nothing is timed. */
	const char *times;
} sections[] = {
	{ "channels", HP_SITE_CHANNEL, "delay_" },
	{ "streams", HP_SITE_STREAM, NULL },
	{ "futures", HP_SITE_FUTURE, "lifetime_" },
	{ "loops", HP_SITE_LOOP, "busy_" },
	{ "debug", HP_SITE_DBG, NULL },
};

/* ---- times ---- */

static int read_histogram(struct json_object *row, struct hp_saved *saved, const char *of,
			  struct hp_flow_times *times, struct hp_error *error)
{
	char key[32];
	bool complete;

	snprintf(key, sizeof(key), "%shistogram", of);
	int failed = hp_saved_points(row, key, &times->points, &complete, error);
	if (failed || complete)
		return failed;
	saved->complete = false;
	return hp_saved_percentiles(row, &saved->known, of, "ns", times->count, times->max_ns,
				    &times->points, error);
}

static int read_times(struct json_object *row, struct hp_saved *saved, const char *of,
		      struct hp_flow_times *times, struct hp_error *error)
{
	char key[32];

	for (size_t i = 0; i < sizeof(times_fields) / sizeof(*times_fields); i++) {
		snprintf(key, sizeof(key), "%s%s", of, times_fields[i].key);
		const struct hp_saved_field fields[] = {
			{ key, &hp_saved_type_u64, times_fields[i].offset }, { NULL, NULL, 0 }
		};
		int failed = hp_saved_fields(row, fields, times, error);
		if (failed)
			return failed;
	}
	return read_histogram(row, saved, of, times, error);
}

/* ---- values ---- */

static bool read_int(struct json_object *value, struct hp_flow *flow)
{
	flow->value = (uint64_t)json_object_get_int64(value);
	return json_object_is_type(value, json_type_int);
}

static bool read_uint(struct json_object *value, struct hp_flow *flow)
{
	return hp_saved_u64(value, &flow->value);
}

static bool read_real(struct json_object *value, struct hp_flow *flow)
{
	double number;
	bool is_number = read_double(value, &number);

	memcpy(&flow->value, &number, sizeof(number));
	return is_number;
}

static bool read_truth(struct json_object *value, struct hp_flow *flow)
{
	flow->value = json_object_get_boolean(value) != 0;
	return json_object_is_type(value, json_type_boolean);
}

static bool read_pointer(struct json_object *value, struct hp_flow *flow)
{
	const char *text = json_object_get_string(value);
	char *end;

	if (!json_object_is_type(value, json_type_string) || strncmp(text, "0x", 2) != 0)
		return false;
	errno = 0;
	flow->value = strtoull(text + 2, &end, 16);
	return end > text + 2 && !*end && !errno;
}

static bool read_text(struct json_object *value, struct hp_flow *flow)
{
	return hp_saved_type_string.read(value, &flow->text);
}

/* There is none: a double that JSON has no number for is null, and no string is not an empty one. */
static int read_none(struct hp_flow *flow)
{
	double none = NAN;

	if (flow->value_kind == HP_VALUE_DOUBLE)
		memcpy(&flow->value, &none, sizeof(none));
	if (flow->value_kind == HP_VALUE_STRING)
		flow->value_kind = HP_VALUE_NONE;
	return 0;
}

static int read_value(struct json_object *row, struct hp_flow *flow, struct hp_error *error)
{
	static bool (*const readers[])(struct json_object *, struct hp_flow *) = {
		[HP_VALUE_INT] = read_int,	   [HP_VALUE_UINT] = read_uint,
		[HP_VALUE_DOUBLE] = read_real,	   [HP_VALUE_BOOL] = read_truth,
		[HP_VALUE_POINTER] = read_pointer, [HP_VALUE_STRING] = read_text,
	};
	struct json_object *value = hp_saved_member(row, "last_value");

	if (flow->kind == HP_SITE_GAUGE && !hp_saved_member(row, "min"))
		flow->min = NAN;
	if (flow->kind == HP_SITE_GAUGE && !hp_saved_member(row, "max"))
		flow->max = NAN;
	if (!value)
		return read_none(flow);
	if (flow->value_kind == HP_VALUE_NONE || !readers[flow->value_kind](value, flow))
		return hp_saved_fail(error, -EINVAL,
				     "damaged report: 'last_value' is not of its kind");
	return 0;
}

/* ---- rows ---- */

static int read_fields(struct json_object *row, const struct section *section,
		       struct hp_saved *saved, struct hp_flow *flow, struct hp_error *error)
{
	int failed = hp_saved_fields(row, flow_fields, flow, error);

	if (!failed && !flow->name)
		failed = hp_saved_fail(error, -EINVAL, "damaged report: a row of '%s' has no name",
				       section->key);
	if (!failed)
		failed = hp_saved_member_fields(row, "location", place_fields, flow, error);
	if (!failed && section->times)
		failed = read_times(row, saved, section->times, &flow->times, error);
	if (!failed)
		failed = read_value(row, flow, error);
	/* Only values say what they are. */
	if (section->kind != HP_SITE_DBG)
		flow->kind = section->kind;
	return failed;
}

static int read_row(struct json_object *row, const struct section *section, struct hp_saved *saved,
		    struct hp_error *error)
{
	struct hp_flow flow = { .kind = section->kind };

	if (!json_object_is_type(row, json_type_object))
		return hp_saved_fail(error, -EINVAL,
				     "damaged report: a row of '%s' is not an object",
				     section->key);
	int failed = read_fields(row, section, saved, &flow, error);
	if (!failed && !hp_flows_append(&saved->model->flows, flow))
		failed = hp_saved_fail(error, -ENOMEM, "out of memory");
	if (failed)
		hp_flow_clear(&flow);
	return failed;
}

/* Functions have the percentiles that all have; where there are none, the first section says which. */
static int read_section(struct json_object *report, const struct section *section,
			struct hp_saved *saved, struct hp_error *error)
{
	struct json_object *object = hp_saved_member(report, section->key), *rows;
	size_t count;

	if (!object)
		return 0;
	if (!json_object_is_type(object, json_type_object))
		return hp_saved_fail(error, -EINVAL, "damaged report: '%s' is not an object",
				     section->key);
	int failed = hp_saved_array(object, "data", &rows, &count, error);
	if (!failed && !saved->known.count)
		failed = hp_saved_known(object, &saved->known, error);
	for (size_t i = 0; i < count && !failed; i++)
		failed = read_row(json_object_array_get_idx(rows, i), section, saved, error);
	return failed;
}

int hp_saved_flows(struct json_object *report, struct hp_saved *saved, struct hp_error *error)
{
	int failed = 0;

	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections) && !failed; i++)
		failed = read_section(report, &sections[i], saved, error);
	if (!failed)
		hp_flows_sort(&saved->model->flows);
	return failed;
}
