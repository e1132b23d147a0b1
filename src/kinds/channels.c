/* SPDX-License-Identifier: MIT */
/* Channels: the messages of queues, and how long each was on its way. */
#include "kind.h"

#include "atomic.h"
#include "data_flow.h"

#include <inttypes.h>
#include <string.h>

enum {
	INSTANCES,
	CLOSED,
	STATE,
	CAPACITY,
	/* Each carries one message. */
	IS_ONESHOT,
	SENT,
	RECEIVED,
	/* In channels now, and the most that were in one. */
	QUEUED,
	MOST_QUEUED,
	SENT_BYTES,
	/* How long receivers and senders waited; 0 when nobody saw that. */
	WAITED,
	SEND_WAITED,
	/* How long channels with a limit were open, and how long of that they held as many messages as they can. */
	OPEN_NS,
	FULL_NS,
};

enum { DELAY };

enum { TABLE_MESSAGES, TABLE_LATENCY };

enum state {
	ACTIVE,
	/* One of them holds as many messages as it can. */
	FULL,
	/* All of them are closed. */
	IS_CLOSED,
	/* Each channel for one message has had it. */
	NOTIFIED,
};

static const char *const states[] = { "active", "full", "closed", "notified" };

static void put_type(const void *row, struct hp_text *text)
{
	const struct hp_entry *entry = row;

	if (entry->words[IS_ONESHOT])
		hp_text_puts(text, "oneshot");
	else if (entry->words[CAPACITY])
		hp_text_printf(text, "bounded[%" PRIu64 "]", entry->words[CAPACITY]);
	else
		hp_text_puts(text, "unbounded");
}

/* The other types follow from the capacity. */
static bool parse_type(void *row, const char *text)
{
	struct hp_entry *entry = row;

	entry->words[IS_ONESHOT] = strcmp(text, "oneshot") == 0;
	return true;
}

/* clang-format off */
static const struct hp_field fields[] = {
	HP_FIELDS_BEGIN("name"),
	{ "channel_type", "Type", HP_FIELD_SPECIAL, HP_WORD(CAPACITY), .rank = 6,
	  .put = put_type, .parse = parse_type, .wanted = "a type of channel" },
	{ "capacity", NULL, HP_FIELD_COUNT, HP_WORD(CAPACITY), .merge = HP_MERGE_MOST },
	{ "instances", "Inst", HP_FIELD_COUNT, HP_WORD(INSTANCES), .merge = HP_MERGE_SUM, .is_level = true, .rank = 5,
	  .compare = { "instances", .nth = 3, .rank = 5, .is_of_runs = true } },
	{ "closed_instances", NULL, HP_FIELD_COUNT, HP_WORD(CLOSED), .merge = HP_MERGE_SUM, .is_level = true },
	{ "state", "State", HP_FIELD_WORD, HP_WORD(STATE), .rank = 3, .words = states, .word_count = 4,
	  .painted = FULL, .wanted = "active, full, closed or notified" },
	{ "sent_count", "Sent", HP_FIELD_COUNT, HP_WORD(SENT), .merge = HP_MERGE_SUM, .rank = 1,
	  .counter = HP_FROM_COUNTER(HP_CHANNEL_SENT), .compare = { "sent", .nth = 0, .per = HP_PER_SECOND } },
	{ "received_count", "Received", HP_FIELD_COUNT, HP_WORD(RECEIVED), .merge = HP_MERGE_SUM, .rank = 2,
	  .counter = HP_FROM_COUNTER(HP_CHANNEL_RECEIVED),
	  .compare = { "received", .nth = 1, .rank = 1, .per = HP_PER_SECOND } },
	{ "sent_per_sec", "Sent/s", HP_FIELD_RATE, 0, .rank = 4 },
	{ "received_per_sec", "Recv/s", HP_FIELD_RATE, 1, .rank = 4 },
	{ "queue_size", "Queued", HP_FIELD_COUNT, HP_WORD(QUEUED), .merge = HP_MERGE_SUM, .is_level = true, .rank = 1,
	  .compare = { "queued", .kind = HP_COMPARED_LEVEL, .nth = 4, .rank = 3 } },
	{ "max_queue_size", "Max queue", HP_FIELD_COUNT, HP_WORD(MOST_QUEUED), .merge = HP_MERGE_MOST, .rank = 2,
	  .compare = { "most_queued", .kind = HP_COMPARED_LEVEL, .nth = 5, .rank = 2 } },
	{ "sent_bytes", "Bytes", HP_FIELD_BYTES, HP_WORD(SENT_BYTES), .merge = HP_MERGE_SUM, .rank = 7,
	  .counter = HP_FROM_COUNTER(HP_CHANNEL_BYTES),
	  .compare = { "message_bytes", .nth = 2, .rank = 4, .per = HP_WORD(SENT) } },
	{ "waited_ns", "Waited", HP_FIELD_TIME, HP_WORD(WAITED), .merge = HP_MERGE_SUM, .rank = 5,
	  .when = HP_SHOWN_IF_ANY, .counter = HP_FROM_COUNTER(HP_CHANNEL_WAITED),
	  .compare = { "waited", .kind = HP_COMPARED_TIME, .nth = 6, .rank = 6, .is_neutral = true,
		       .needs_row = true, .is_seen = true, .per = HP_PER_SECOND } },
	{ "send_waited_ns", "Send wait", HP_FIELD_TIME, HP_WORD(SEND_WAITED), .merge = HP_MERGE_SUM, .rank = 5,
	  .when = HP_SHOWN_IF_ANY, .counter = HP_FROM_COUNTER(HP_CHANNEL_SEND_WAITED),
	  .compare = { "send_waited", .kind = HP_COMPARED_TIME, .nth = 7, .rank = 6, .is_neutral = true,
		       .needs_row = true, .is_seen = true, .per = HP_PER_SECOND } },
	{ "open_ns", NULL, HP_FIELD_TIME, HP_WORD(OPEN_NS), .merge = HP_MERGE_SUM },
	{ "full_ns", NULL, HP_FIELD_TIME, HP_WORD(FULL_NS), .merge = HP_MERGE_SUM },
	{ "full_percent", "Full %", HP_FIELD_PART, HP_WORD(FULL_NS), HP_WORD(OPEN_NS), .known = HP_WORD(OPEN_NS),
	  .rank = 4, .when = HP_SHOWN_IF_KNOWN },
	{ "delay_sampled_count", "Msgs", HP_FIELD_COUNT, HP_TIMES(DELAY, COUNT), .rank = 2, .table = TABLE_LATENCY,
	  .compare = { "messages", .nth = 0, .rank = 2, .per = HP_PER_SECOND } },
	{ "delay_sum_ns", NULL, HP_FIELD_TIME, HP_TIMES(DELAY, SUM) },
	{ "delay_min_ns", NULL, HP_FIELD_TIME, HP_TIMES(DELAY, MIN), .known = HP_TIMES(DELAY, COUNT) },
	{ "delay_avg_ns", "Avg", HP_FIELD_TIME, HP_TIMES(DELAY, SUM), HP_TIMES(DELAY, COUNT), .rank = 1,
	  .table = TABLE_LATENCY,
	  .compare = { "latency_avg", .kind = HP_COMPARED_TIME, .nth = 1, .decides = true, .needs_row = true } },
	{ "delay", "P", HP_FIELD_PERCENTILE, HP_TIMES(DELAY, COUNT), .rank = 5, .table = TABLE_LATENCY,
	  .compare = { "latency_", "", HP_COMPARED_TIME, .nth = 2, .rank = 3, .needs_row = true } },
	{ "delay_max_ns", "Max", HP_FIELD_TIME, HP_TIMES(DELAY, MAX), .known = HP_TIMES(DELAY, COUNT), .rank = 1,
	  .table = TABLE_LATENCY,
	  .compare = { "latency_max", .kind = HP_COMPARED_TIME, .nth = 3, .rank = 1, .needs_row = true } },
	{ "delay_histogram", NULL, HP_FIELD_HISTOGRAM, HP_TIMES(DELAY, COUNT) },
	HP_FIELDS_END,
};
/* clang-format on */

/* A channel for one message is full as long as that is on its way. */
static bool has_limit(const struct hp_entry *entry)
{
	return entry->words[CAPACITY] && !entry->words[IS_ONESHOT];
}

static bool take_shared(struct hp_entry *entry, const struct hp_shared *shared,
			const struct hp_source *source)
{
	entry->words[INSTANCES] = load(&shared->instances, RELAXED);
	entry->words[CLOSED] = load(&shared->closed, RELAXED);
	entry->words[CAPACITY] = load(&shared->capacity, RELAXED);
	entry->words[MOST_QUEUED] = load(&shared->most, RELAXED);
	entry->words[IS_ONESHOT] = load(&shared->channel_kind, RELAXED) == HP_CHANNEL_ONESHOT;
	if (has_limit(entry)) {
		entry->words[OPEN_NS] = source->ns(source, load(&shared->open_ticks, RELAXED));
		entry->words[FULL_NS] = source->ns(source, load(&shared->full_ticks, RELAXED));
	}
	return true;
}

static void add_open(struct hp_entry *entry, const struct hp_queue *queue,
		     const struct hp_source *source)
{
	uint64_t opened = load(&queue->opened, RELAXED), now = source->now(source);

	/* Format 2.0 does not tell. */
	if (!opened)
		return;
	entry->words[OPEN_NS] += source->ns(source, now > opened ? now - opened : 0);
	entry->words[FULL_NS] += source->ns(source, load(&queue->full_ticks, RELAXED) +
							    source->full(source, queue));
}

static void add_queue(struct hp_entry *entry, const struct hp_queue *queue,
		      const struct hp_source *source)
{
	uint64_t queued = load(&queue->sent, RELAXED) - load(&queue->received, RELAXED);
	uint64_t most = load(&queue->most, RELAXED), capacity = load(&queue->capacity, RELAXED);

	if ((int64_t)queued < 0)
		queued = 0;
	/* Senders do not update it for each message. */
	if (most < queued)
		most = queued;
	entry->words[QUEUED] += queued;
	if (entry->words[MOST_QUEUED] < most)
		entry->words[MOST_QUEUED] = most;
	if (capacity && queued >= capacity)
		entry->words[STATE] = FULL;
	if (has_limit(entry))
		add_open(entry, queue, source);
}

static enum state oneshot_state(const uint64_t *words)
{
	/* What was sent before recording began is received all the same. */
	uint64_t messages = words[SENT] > words[RECEIVED] ? words[SENT] : words[RECEIVED];

	if (words[INSTANCES] && messages >= words[INSTANCES])
		return NOTIFIED;
	return words[INSTANCES] && words[CLOSED] >= words[INSTANCES] ? IS_CLOSED : ACTIVE;
}

static void settle(struct hp_entry *entry)
{
	uint64_t *words = entry->words;

	/* If not every message has a stamp, it is an estimate. */
	if (words[FULL_NS] > words[OPEN_NS])
		words[FULL_NS] = words[OPEN_NS];
	if (words[IS_ONESHOT])
		words[STATE] = oneshot_state(words);
	else if (words[INSTANCES] && words[CLOSED] >= words[INSTANCES])
		words[STATE] = IS_CLOSED;
}

/* One is full if it is in either process; all are closed if they are in both. */
static void merge(struct hp_entry *into, const struct hp_entry *from)
{
	bool is_full = into->words[STATE] == FULL || from->words[STATE] == FULL;

	if (into->words[STATE] != from->words[STATE])
		into->words[STATE] = is_full ? FULL : ACTIVE;
	into->words[IS_ONESHOT] |= from->words[IS_ONESHOT];
}

static const char *const events[] = { "channel" };

static const struct hp_logged_field log_fields[] = {
	{ "message", "Message", HP_LOGGED_TEXT, 1, 0 },
	{ "bytes", "Bytes", HP_LOGGED_BYTES, 2, 4 },
	{ "delay_ns", "Delay", HP_LOGGED_DELAY, 3, 1 },
	{ "queued", NULL, HP_LOGGED_QUEUED, 0, 0 },
	{ NULL, NULL, 0, 0, 0 },
};

#define HOW                                                                                        \
	"No channel has been seen yet.\n\n"                                                        \
	"Tell of channels with HOTPATH_CHANNEL_NEW(), HOTPATH_CHANNEL_SEND() and\n"                \
	"HOTPATH_CHANNEL_RECV() (hotpath.h), or start a program that uses GLib with\n"             \
	"'hotpath run --probes=glib PROGRAM'."

const struct hp_kind hp_kind_channels = {
	.key = "channels",
	.noun = "channel",
	.header = "Channel",
	.hint = "HOTPATH_CHANNEL_NEW makes one, --probes=glib sees queues of GLib",
	.limit = "rows of the sections about channels",
	.first_site = HP_SITE_CHANNEL,
	.last_site = HP_SITE_CHANNEL,
	.times = 1,
	.rates = { HP_WORD(SENT), HP_WORD(RECEIVED) },
	.fields = fields,
	.tables = { [TABLE_MESSAGES] = { .name = "channels",
					 .sentence = "Messages through channels.",
					 .order = 60,
					 .tab = "Data flow",
					 .pane = "Channels",
					 .how = HOW },
		    [TABLE_LATENCY] = { .name = "channels-latency",
					.sentence = "Time of messages from send to receive.",
					.compared = "latency of channels",
					.needs = HP_TIMES(DELAY, COUNT),
					.order = 61,
					.tab = "Data flow",
					.pane = "Latency",
					.how = HOW } },
	.events = events,
	.log = log_fields,
	.no_log = "No message was logged; HOTPATH_CHANNEL_SEND_LOG() logs them.",
	.read = take_shared,
	.add_queue = add_queue,
	.settle = settle,
	.merge = merge,
};
