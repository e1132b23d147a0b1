/* SPDX-License-Identifier: MIT */
/* Async work and data flow: channels and their messages, streams, futures, event loops, and values. */
#include "figures.h"
#include "flow_columns.h"
#include "value_text.h"

static const struct hp_flow *flow_of(const struct hp_run *run, size_t at)
{
	return &run->report.model->flows.items[at];
}

static size_t count(const struct hp_model *model)
{
	return model->flows.count;
}

static bool has_kind(const struct hp_model *model, enum hp_site_kind kind)
{
	for (size_t i = 0; i < model->flows.count; i++)
		if (model->flows.items[i].kind == kind)
			return true;
	return false;
}

/* Tell which one it is; false when it is of another kind. */
static bool get_kind(const struct hp_model *model, size_t at, struct hp_subject_row *row,
		     enum hp_site_kind first, enum hp_site_kind last)
{
	const struct hp_flow *flow = &model->flows.items[at];

	row->name = flow->name;
	row->file = flow->file;
	row->line = flow->line;
	row->order = flow->line;
	row->kind = flow->kind;
	row->share = -1;
	return flow->kind >= first && flow->kind <= last;
}

/* A figure that is a field of a row; one that nobody has seen where it is 0; and a mean, of those that are known. */
#define FIELD(function, field) HP_FIGURE(function, (double)flow_of(run, at)->field)
#define SEEN(function, field)                                                                      \
	HP_FIGURE(function, hp_known_if(flow_of(run, at)->field, (double)flow_of(run, at)->field))
#define MEAN(function, field, of)                                                                  \
	HP_FIGURE(function, hp_mean(flow_of(run, at)->field, flow_of(run, at)->of))

FIELD(instances, instances)
FIELD(sent, sent)
FIELD(received, received)
FIELD(bytes, bytes)
FIELD(queued, queued)
FIELD(most_queued, most_queued)
SEEN(waited, waited_ns)
FIELD(timed, times.count)
MEAN(average, times.sum_ns, times.count)
FIELD(cancelled, cancelled)
FIELD(polls, polls.count)
FIELD(poll_total, polls.total_ns)
MEAN(poll_average, polls.total_ns, polls.count)
FIELD(idle, idle_ns)
FIELD(callbacks, callbacks)
FIELD(callback_time, callback_ns)
SEEN(slowest, slowest_ns)
FIELD(updates, updates)

static double percentile(const struct hp_run *run, size_t at, double percent)
{
	const struct hp_flow_times *times = &flow_of(run, at)->times;
	bool is_known = times->count && hp_run_knows_percentile(run, percent);

	return is_known ? (double)hp_points_percentile(&times->points, times->count, times->min_ns,
						       times->max_ns, percent)
			: NAN;
}

static double longest(const struct hp_run *run, size_t at, double percent)
{
	const struct hp_flow_times *times = &flow_of(run, at)->times;

	(void)percent;
	return hp_known_if(times->count, (double)times->max_ns);
}

/* ---- channels ---- */

static bool has_channels(const struct hp_model *model)
{
	return has_kind(model, HP_SITE_CHANNEL);
}

static bool get_channel(const struct hp_model *model, size_t at, struct hp_subject_row *row)
{
	return get_kind(model, at, row, HP_SITE_CHANNEL, HP_SITE_CHANNEL);
}

static const struct hp_metric channel_metrics[] = {
	HP_METRIC("sent", "Sent", EXACT, COUNT, sent, .rank = 0),
	HP_METRIC("received", "Received", EXACT, COUNT, received, .rank = 1),
	HP_METRIC("message_bytes", "Bytes", EXACT, BYTES, bytes, .rank = 4),
	HP_METRIC("instances", "Inst", EXACT, COUNT, instances, .rank = 5),
	HP_METRIC("queued", "Queued", LEVEL, COUNT, queued, .rank = 3),
	HP_METRIC("most_queued", "Max queue", LEVEL, COUNT, most_queued, .rank = 2),
	HP_METRIC("waited", "Waited", TIME, NS, waited, .is_neutral = true, .needs_row = true,
		  .rank = 6),
	HP_METRICS_END,
};

const struct hp_subject hp_subject_channels = {
	.name = "channels",
	.title = "channels",
	.noun = "channel",
	.metrics = channel_metrics,
	.is_recorded = has_channels,
	.count = count,
	.get = get_channel,
};

static bool is_timed(const struct hp_flow *flow)
{
	return flow->kind == HP_SITE_CHANNEL && flow->times.count;
}

static bool has_latency(const struct hp_model *model)
{
	for (size_t i = 0; i < model->flows.count; i++)
		if (is_timed(&model->flows.items[i]))
			return true;
	return false;
}

static bool get_latency(const struct hp_model *model, size_t at, struct hp_subject_row *row)
{
	return get_channel(model, at, row) && is_timed(&model->flows.items[at]);
}

static const struct hp_metric latency_metrics[] = {
	HP_METRIC("messages", "Msgs", EXACT, COUNT, timed, .rank = 2),
	HP_METRIC("latency_avg", "Avg", TIME, NS, average, .decides = true, .needs_row = true),
	HP_METRIC("latency_", "", TIME, NS, percentile, .is_percentile = true, .needs_row = true,
		  .rank = 3),
	HP_METRIC("latency_max", "Max", TIME, NS, longest, .needs_row = true, .rank = 1),
	HP_METRICS_END,
};

const struct hp_subject hp_subject_latency = {
	.name = "channels-latency",
	.title = "latency of channels",
	.noun = "channel",
	.metrics = latency_metrics,
	.is_recorded = has_latency,
	.count = count,
	.get = get_latency,
};

/* ---- streams ---- */

static bool has_streams(const struct hp_model *model)
{
	return has_kind(model, HP_SITE_STREAM);
}

static bool get_stream(const struct hp_model *model, size_t at, struct hp_subject_row *row)
{
	return get_kind(model, at, row, HP_SITE_STREAM, HP_SITE_STREAM);
}

static const struct hp_metric stream_metrics[] = {
	HP_METRIC("items", "Yielded", EXACT, COUNT, sent, .rank = 0),
	HP_METRIC("item_bytes", "Bytes", EXACT, BYTES, bytes, .rank = 1),
	HP_METRIC("stream_instances", "Inst", EXACT, COUNT, instances, .rank = 2),
	HP_METRICS_END,
};

const struct hp_subject hp_subject_streams = {
	.name = "streams",
	.title = "streams",
	.noun = "stream",
	.metrics = stream_metrics,
	.is_recorded = has_streams,
	.count = count,
	.get = get_stream,
};

/* ---- futures ---- */

HP_FIGURE(poll_bytes, hp_known_if(run->report.model->memory.mode != HP_ALLOC_NONE,
				  (double)flow_of(run, at)->polls.bytes))
HP_FIGURE(poll_blocks, hp_known_if(run->report.model->memory.mode != HP_ALLOC_NONE,
				   (double)flow_of(run, at)->polls.blocks))

/* Only work in a thread pool waits for a thread and is served by one. */
static double queue_average(const struct hp_run *run, size_t at, double percent)
{
	const struct hp_flow *flow = flow_of(run, at);

	(void)percent;
	return flow->queued_ns ? hp_mean(flow->queued_ns, flow->times.count) : NAN;
}

static double service_average(const struct hp_run *run, size_t at, double percent)
{
	const struct hp_flow *flow = flow_of(run, at);

	(void)percent;
	return flow->served_ns ? hp_mean(flow->served_ns, flow->times.count) : NAN;
}

static bool has_futures(const struct hp_model *model)
{
	return has_kind(model, HP_SITE_FUTURE);
}

static bool get_future(const struct hp_model *model, size_t at, struct hp_subject_row *row)
{
	return get_kind(model, at, row, HP_SITE_FUTURE, HP_SITE_FUTURE);
}

static const struct hp_metric future_metrics[] = {
	HP_METRIC("futures", "Calls", EXACT, COUNT, instances, .rank = 1),
	HP_METRIC("polls", "Polls", EXACT, COUNT, polls, .rank = 2),
	HP_METRIC("poll_total", "Total Poll", TIME, NS, poll_total, .decides = true),
	HP_METRIC("poll_avg", "Avg Poll", TIME, NS, poll_average, .needs_row = true, .rank = 4),
	HP_METRIC("lifetime_avg", "Avg", TIME, NS, average, .needs_row = true, .rank = 3),
	HP_METRIC("lifetime_", "", TIME, NS, percentile, .is_percentile = true, .needs_row = true,
		  .rank = 5),
	HP_METRIC("lifetime_max", "Max", TIME, NS, longest, .needs_row = true, .rank = 8),
	HP_METRIC("cancelled", "Cancelled", EXACT, COUNT, cancelled, .rank = 4),
	HP_METRIC("poll_alloc_blocks", "Allocs", EXACT, COUNT, poll_blocks, .is_alloc = true,
		  .rank = 6),
	HP_METRIC("poll_alloc_bytes", "Total Alloc", EXACT, BYTES, poll_bytes, .is_alloc = true,
		  .rank = 6),
	HP_METRIC("queue_avg", "Avg Queue", TIME, NS, queue_average, .needs_row = true, .rank = 7),
	HP_METRIC("service_avg", "Avg Service", TIME, NS, service_average, .needs_row = true,
		  .rank = 7),
	HP_METRICS_END,
};

const struct hp_subject hp_subject_futures = {
	.name = "futures",
	.title = "futures",
	.noun = "future",
	.metrics = future_metrics,
	.is_recorded = has_futures,
	.count = count,
	.get = get_future,
};

/* ---- event loops ---- */

static bool has_loops(const struct hp_model *model)
{
	return has_kind(model, HP_SITE_LOOP);
}

static bool get_loop(const struct hp_model *model, size_t at, struct hp_subject_row *row)
{
	return get_kind(model, at, row, HP_SITE_LOOP, HP_SITE_LOOP);
}

/* How often a loop turns, and how many callbacks it finds in a turn, depends on when events come. */
static const struct hp_metric loop_metrics[] = {
	HP_METRIC("turns", "Turns", LEVEL, COUNT, timed, .is_neutral = true, .rank = 4),
	HP_METRIC("busy_avg", "Busy Avg", TIME, NS, average, .needs_row = true, .rank = 1),
	HP_METRIC("busy_", "", TIME, NS, percentile, .is_percentile = true, .needs_row = true,
		  .rank = 5),
	HP_METRIC("busy_max", "Max", TIME, NS, longest, .needs_row = true, .rank = 2),
	HP_METRIC("idle", "Idle", TIME, NS, idle, .is_neutral = true, .rank = 6),
	HP_METRIC("callbacks", "Callbacks", LEVEL, COUNT, callbacks, .rank = 3),
	HP_METRIC("callback_time", "In callbacks", TIME, NS, callback_time, .decides = true),
	HP_METRIC("slowest", "Slowest", TIME, NS, slowest, .needs_row = true, .rank = 7),
	HP_METRICS_END,
};

const struct hp_subject hp_subject_loops = {
	.name = "loops",
	.title = "event loops",
	.noun = "event loop",
	.metrics = loop_metrics,
	.is_recorded = has_loops,
	.count = count,
	.get = get_loop,
};

/* ---- values ---- */

static double number_of(const struct hp_flow *flow)
{
	switch (hp_flow_value_kind(flow)) {
	case HP_VALUE_DOUBLE:
		return hp_bits_to_double(flow->value);
	case HP_VALUE_INT:
		return (double)(int64_t)flow->value;
	case HP_VALUE_UINT:
	case HP_VALUE_BOOL:
		return (double)flow->value;
	default:
		return NAN;
	}
}

/* One that is infinite cannot be compared. */
static double if_finite(double value)
{
	return hp_known_if(isfinite(value), value);
}

static double last(const struct hp_run *run, size_t at, double percent)
{
	const struct hp_flow *flow = flow_of(run, at);

	(void)percent;
	return hp_known_if(flow->updates, if_finite(number_of(flow)));
}

static double least(const struct hp_run *run, size_t at, double percent)
{
	const struct hp_flow *flow = flow_of(run, at);

	(void)percent;
	return hp_known_if(flow->kind == HP_SITE_GAUGE && flow->updates, if_finite(flow->min));
}

static double most(const struct hp_run *run, size_t at, double percent)
{
	const struct hp_flow *flow = flow_of(run, at);

	(void)percent;
	return hp_known_if(flow->kind == HP_SITE_GAUGE && flow->updates, if_finite(flow->max));
}

static bool has_values(const struct hp_model *model)
{
	return has_kind(model, HP_SITE_DBG) || has_kind(model, HP_SITE_VAL) ||
	       has_kind(model, HP_SITE_GAUGE);
}

static bool get_value(const struct hp_model *model, size_t at, struct hp_subject_row *row)
{
	return get_kind(model, at, row, HP_SITE_DBG, HP_SITE_GAUGE);
}

static const struct hp_metric value_metrics[] = {
	HP_METRIC("value", "Value", LEVEL, NUMBER, last, .is_neutral = true, .needs_row = true),
	HP_METRIC("value_min", "Min", LEVEL, NUMBER, least, .is_neutral = true, .needs_row = true,
		  .rank = 2),
	HP_METRIC("value_max", "Max", LEVEL, NUMBER, most, .is_neutral = true, .needs_row = true,
		  .rank = 2),
	HP_METRIC("updates", "Updates", EXACT, COUNT, updates, .rank = 1),
	HP_METRICS_END,
};

const struct hp_subject hp_subject_debug = {
	.name = "debug",
	.title = "values",
	.noun = "value",
	.metrics = value_metrics,
	.is_recorded = has_values,
	.count = count,
	.get = get_value,
};
