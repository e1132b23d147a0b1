/* SPDX-License-Identifier: MIT */
/* The columns of the sections about async work and data flow. */
#include "flow_columns.h"

#include "format.h"
#include "value_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* In words. */
#define AT(member) (offsetof(struct hp_flow, member) / sizeof(uint64_t))

#define BIT(section) (1 << HP_FLOW_##section)

enum {
	CHANNELS = BIT(CHANNELS),
	LATENCY = BIT(LATENCY),
	STREAMS = BIT(STREAMS),
	FUTURES = BIT(FUTURES),
	LOOPS = BIT(LOOPS),
	DEBUG = BIT(DEBUG),
	TIMED = LATENCY | FUTURES | LOOPS,
	OPENED = CHANNELS | STREAMS,
	ALL = (1 << HP_FLOW_SECTIONS) - 1,
};

enum {
	ALWAYS = HP_FLOW_ALWAYS,
	IF_MEMORY = HP_FLOW_IF_MEMORY,
	IF_ANY = HP_FLOW_IF_ANY,
};

#define COUNT HP_FLOW_COUNT
#define BYTES HP_FLOW_BYTES
#define TIME HP_FLOW_TIME
#define RATE HP_FLOW_RATE
#define NUMBER HP_FLOW_NUMBER

/* clang-format off */
const struct hp_flow_column hp_flow_columns[] = {
	{ "Type", "entry_type", DEBUG, HP_FLOW_TYPE, ALWAYS, 3, 0, 0 },
	{ "", "name", ALL & ~DEBUG, HP_FLOW_NAME, ALWAYS, 0, 0, 0 },
	{ "", "expression", DEBUG, HP_FLOW_NAME, ALWAYS, 0, 0, 0 },
	{ "", "has_custom_label", ALL, HP_FLOW_LABELLED, ALWAYS, 0, 0, 0 },
	{ "Type", "channel_type", CHANNELS, HP_FLOW_TYPE, ALWAYS, 6, AT(capacity), 0 },
	{ "", "capacity", CHANNELS, COUNT, ALWAYS, 0, AT(capacity), 0 },
	{ "Inst", "instances", OPENED, COUNT, ALWAYS, 5, AT(instances), 0 },
	{ "", "closed_instances", OPENED, COUNT, ALWAYS, 0, AT(closed), 0 },
	{ "State", "state", OPENED, HP_FLOW_STATE, ALWAYS, 3, 0, 0 },
	{ "Sent", "sent_count", CHANNELS, COUNT, ALWAYS, 1, AT(sent), 0 },
	{ "Received", "received_count", CHANNELS, COUNT, ALWAYS, 2, AT(received), 0 },
	{ "Sent/s", "sent_per_sec", CHANNELS, RATE, ALWAYS, 4, AT(sent), 0 },
	{ "Recv/s", "received_per_sec", CHANNELS, RATE, ALWAYS, 4, AT(received), 0 },
	{ "Queued", "queue_size", CHANNELS, COUNT, ALWAYS, 1, AT(queued), 0 },
	{ "Max queue", "max_queue_size", CHANNELS, COUNT, ALWAYS, 2, AT(most_queued), 0 },
	{ "Bytes", "sent_bytes", CHANNELS, BYTES, ALWAYS, 7, AT(bytes), 0 },
	{ "Waited", "waited_ns", CHANNELS, TIME, IF_ANY, 5, AT(waited_ns), 0 },
	{ "Yielded", "items_yielded", STREAMS, COUNT, ALWAYS, 1, AT(sent), 0 },
	{ "Items/s", "items_per_sec", STREAMS, RATE, ALWAYS, 2, AT(sent), 0 },
	{ "Bytes", "yielded_bytes", STREAMS, BYTES, ALWAYS, 4, AT(bytes), 0 },
	{ "Calls", "call_count", FUTURES, COUNT, ALWAYS, 1, AT(instances), 0 },
	{ "", "ended_count", FUTURES, COUNT, ALWAYS, 0, AT(closed), 0 },
	{ "Polls", "total_polls", FUTURES, COUNT, ALWAYS, 3, AT(polls.count), 0 },
	{ "Avg Poll", "", FUTURES, TIME, ALWAYS, 4, AT(polls.total_ns), AT(polls.count) },
	{ "Total Poll", "total_poll_duration_ns", FUTURES, TIME, ALWAYS, 2, AT(polls.total_ns), 0 },
	{ "", "max_poll_duration_ns", FUTURES, TIME, ALWAYS, 0, AT(polls.max_ns), 0 },
	{ "Msgs", "_sampled_count", LATENCY, COUNT, ALWAYS, 2, AT(times.count), 0 },
	{ "", "_sampled_count", FUTURES, COUNT, ALWAYS, 0, AT(times.count), 0 },
	{ "Turns", "_sampled_count", LOOPS, COUNT, ALWAYS, 3, AT(times.count), 0 },
	{ "", "_sum_ns", TIMED, TIME, ALWAYS, 0, AT(times.sum_ns), 0 },
	{ "", "_min_ns", TIMED, TIME, ALWAYS, 0, AT(times.min_ns), 0 },
	{ "Avg", "_avg_ns", LATENCY | FUTURES, TIME, ALWAYS, 1, AT(times.sum_ns), AT(times.count) },
	{ "Busy Avg", "_avg_ns", LOOPS, TIME, ALWAYS, 2, AT(times.sum_ns), AT(times.count) },
	{ "P", "_p", TIMED, HP_FLOW_PERCENTILE, ALWAYS, 5, 0, 0 },
	{ "", "_max_ns", FUTURES, TIME, ALWAYS, 0, AT(times.max_ns), 0 },
	{ "Max", "_max_ns", LATENCY | LOOPS, TIME, ALWAYS, 1, AT(times.max_ns), 0 },
	{ "", "_histogram", TIMED, HP_FLOW_POINTS, ALWAYS, 0, 0, 0 },
	{ "Cancelled", "cancelled_count", FUTURES, COUNT, ALWAYS, 4, AT(cancelled), 0 },
	{ "Avg Alloc", "", FUTURES, BYTES, IF_MEMORY, 6, AT(polls.bytes), AT(instances) },
	{ "Total Alloc", "total_poll_alloc_bytes", FUTURES, BYTES, IF_MEMORY, 6, AT(polls.bytes), 0 },
	{ "", "total_poll_alloc_count", FUTURES, COUNT, IF_MEMORY, 0, AT(polls.blocks), 0 },
	{ "Avg Queue", "", FUTURES, TIME, IF_ANY, 5, AT(queued_ns), AT(times.count) },
	{ "Avg Service", "", FUTURES, TIME, IF_ANY, 5, AT(served_ns), AT(times.count) },
	{ "", "total_queue_ns", FUTURES, TIME, ALWAYS, 0, AT(queued_ns), 0 },
	{ "", "total_service_ns", FUTURES, TIME, ALWAYS, 0, AT(served_ns), 0 },
	{ "Idle %", "", LOOPS, HP_FLOW_IDLE, ALWAYS, 1, 0, 0 },
	{ "", "idle_ns", LOOPS, TIME, ALWAYS, 0, AT(idle_ns), 0 },
	{ "Callbacks", "callback_count", LOOPS, COUNT, ALWAYS, 4, AT(callbacks), 0 },
	{ "In callbacks", "callback_ns", LOOPS, TIME, ALWAYS, 4, AT(callback_ns), 0 },
	{ "Slowest", "slowest_callback", LOOPS, HP_FLOW_SLOWEST, ALWAYS, 3, AT(slowest_ns), 0 },
	{ "", "slowest_callback_ns", LOOPS, TIME, ALWAYS, 0, AT(slowest_ns), 0 },
	{ "Value", "last_value", DEBUG, HP_FLOW_VALUE, ALWAYS, 1, 0, 0 },
	{ "", "value_kind", DEBUG, HP_FLOW_VALUE_KIND, ALWAYS, 0, 0, 0 },
	{ "Min", "min", DEBUG, NUMBER, ALWAYS, 4, AT(min), 0 },
	{ "Max", "max", DEBUG, NUMBER, ALWAYS, 4, AT(max), 0 },
	{ "Updates", "log_count", DEBUG, COUNT, ALWAYS, 2, AT(updates), 0 },
	{ "Source", "location", DEBUG, HP_FLOW_PLACE, ALWAYS, 5, 0, 0 },
	{ "", "location", ALL & ~DEBUG, HP_FLOW_PLACE, ALWAYS, 0, 0, 0 },
};
/* clang-format on */

const size_t hp_flow_column_count = sizeof(hp_flow_columns) / sizeof(*hp_flow_columns);

_Static_assert(sizeof(struct hp_flow) / sizeof(uint64_t) <= UINT8_MAX, "words have a byte");

/* ---- numbers ---- */

static uint64_t word_of(const struct hp_flow *flow, unsigned at)
{
	uint64_t word;

	memcpy(&word, (const char *)flow + at * sizeof(word), sizeof(word));
	return word;
}

static struct hp_flow_figure rate_of(const struct hp_model *model, const struct hp_flow *flow,
				     unsigned at)
{
	const struct hp_trend *trend = at == AT(sent) ? flow->sent_trend : flow->received_trend;
	bool is_over = !model->watched && model->elapsed_ns;

	if (trend || !is_over)
		return (struct hp_flow_figure){ trend, 0, trend ? trend->rate : 0 };
	return (struct hp_flow_figure){
		true, 0, (double)word_of(flow, at) * 1e9 / (double)model->elapsed_ns
	};
}

static struct hp_flow_figure idle_of(const struct hp_flow *flow)
{
	double all = (double)flow->idle_ns + (double)flow->times.sum_ns;

	return (struct hp_flow_figure){ all > 0, 0,
					all > 0 ? (double)flow->idle_ns * 100 / all : 0 };
}

static struct hp_flow_figure percentile_of(const struct hp_flow_times *times, double percent)
{
	return (struct hp_flow_figure){ times->count,
					hp_points_percentile(&times->points, times->count,
							     times->min_ns, times->max_ns, percent),
					0 };
}

/* The shortest and the longest time. */
static bool is_extreme(const struct hp_flow_column *column)
{
	return column->at == AT(times.min_ns) || column->at == AT(times.max_ns);
}

/* The figure of a place, or its mean, rounded. */
static struct hp_flow_figure whole_of(const struct hp_flow_column *column,
				      const struct hp_flow *flow)
{
	uint64_t sum = word_of(flow, column->at);
	uint64_t count = column->over ? word_of(flow, column->over) : 1;

	if (is_extreme(column) && !flow->times.count)
		count = 0;
	return (struct hp_flow_figure){
		count, count ? sum / count + (sum % count >= count - count / 2) : 0, 0
	};
}

struct hp_flow_figure hp_flow_figure(const struct hp_flow_column *column,
				     const struct hp_model *model, const struct hp_flow *flow,
				     double percent)
{
	switch (column->unit) {
	case HP_FLOW_RATE:
		return rate_of(model, flow, column->at);
	case HP_FLOW_IDLE:
		return idle_of(flow);
	case HP_FLOW_PERCENTILE:
		return percentile_of(&flow->times, percent);
	case HP_FLOW_NUMBER:
		return (struct hp_flow_figure){ flow->kind == HP_SITE_GAUGE && flow->updates, 0,
						hp_bits_to_double(word_of(flow, column->at)) };
	default:
		return whole_of(column, flow);
	}
}

static void put_number(const struct hp_flow_figure *figure, unsigned unit, struct hp_text *text)
{
	if (!figure->is_known)
		hp_text_putc(text, '-');
	else if (unit == HP_FLOW_NUMBER)
		hp_double_text(text, figure->real);
	else if (unit == HP_FLOW_RATE)
		hp_text_puts(text, hp_format_rate(figure->real).text);
	else if (unit == HP_FLOW_IDLE)
		hp_text_puts(text, hp_format_percent(figure->real).text);
	else if (unit == HP_FLOW_COUNT)
		hp_text_puts(text, hp_format_count(figure->whole).text);
	else if (unit == HP_FLOW_BYTES)
		hp_text_puts(text, hp_format_bytes(figure->whole).text);
	else
		hp_text_puts(text, hp_format_duration(figure->whole).text);
}

/* ---- words ---- */

void hp_flow_put_type(const struct hp_flow *flow, struct hp_text *text)
{
	static const char names[][6] = { "dbg", "val", "gauge" };

	if (flow->kind >= HP_SITE_DBG && flow->kind <= HP_SITE_GAUGE)
		hp_text_puts(text, names[flow->kind - HP_SITE_DBG]);
	else if (flow->is_oneshot)
		hp_text_puts(text, "oneshot");
	else if (flow->capacity)
		hp_text_printf(text, "bounded[%" PRIu64 "]", flow->capacity);
	else
		hp_text_puts(text, "unbounded");
}

const char *hp_flow_state_name(const struct hp_flow *flow)
{
	static const char names[HP_FLOW_STATES][9] = { "active", "full", "closed", "notified" };

	return names[flow->state < HP_FLOW_STATES ? flow->state : HP_FLOW_ACTIVE];
}

void hp_flow_put_place(const struct hp_flow *flow, struct hp_text *text)
{
	const char *slash = flow->file ? strrchr(flow->file, '/') : NULL;

	if (flow->file)
		hp_text_printf(text, "%s:%" PRIu32, slash ? slash + 1 : flow->file, flow->line);
}

uint32_t hp_flow_value_kind(const struct hp_flow *flow)
{
	return flow->kind == HP_SITE_GAUGE ? HP_VALUE_DOUBLE : flow->value_kind;
}

static void put_slowest(const struct hp_flow *flow, struct hp_text *text)
{
	if (flow->slowest)
		hp_text_printf(text, "%s ", flow->slowest);
	if (flow->slowest_ns || !flow->slowest)
		hp_text_puts(text,
			     flow->slowest_ns ? hp_format_duration(flow->slowest_ns).text : "-");
}

enum hp_paint hp_flow_cell(const struct hp_flow_column *column, const struct hp_model *model,
			   const struct hp_flow *flow, double percent, struct hp_text *text)
{
	struct hp_flow_figure figure = hp_flow_figure(column, model, flow, percent);

	if (column->unit < HP_FLOW_NAME)
		put_number(&figure, column->unit, text);
	else if (column->unit == HP_FLOW_TYPE)
		hp_flow_put_type(flow, text);
	else if (column->unit == HP_FLOW_STATE)
		hp_text_puts(text, hp_flow_state_name(flow));
	else if (column->unit == HP_FLOW_SLOWEST)
		put_slowest(flow, text);
	else if (column->unit == HP_FLOW_VALUE)
		hp_value_text(text, hp_flow_value_kind(flow), flow->value, flow->text);
	else if (column->unit == HP_FLOW_PLACE)
		hp_flow_put_place(flow, text);
	else
		hp_text_puts(text, flow->name);
	/* Who sends has to wait. */
	return column->unit == HP_FLOW_STATE && flow->state == HP_FLOW_FULL ? HP_PAINT_WARM
									    : HP_PAINT_PLAIN;
}

/* What is not known, or no number, comes last. */
double hp_flow_weight(const struct hp_flow_column *column, const struct hp_model *model,
		      const struct hp_flow *flow, double percent)
{
	struct hp_flow_figure figure = hp_flow_figure(column, model, flow, percent);
	bool is_double = hp_flow_value_kind(flow) == HP_VALUE_DOUBLE;
	double weight = figure.is_known ? figure.real + (double)figure.whole : -INFINITY;

	if (column->unit == HP_FLOW_STATE)
		weight = -(double)flow->state;
	else if (column->unit == HP_FLOW_VALUE)
		weight = is_double ? hp_bits_to_double(flow->value) : (double)(int64_t)flow->value;
	else if (column->unit >= HP_FLOW_NAME && !column->at)
		weight = -(double)flow->kind;
	return isnan(weight) ? -INFINITY : weight;
}
