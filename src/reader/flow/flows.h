/* SPDX-License-Identifier: MIT */
/*
 * What a model knows of async work and data flow: channels, streams, futures, event loops, and values that the
 * program lets us see. A row is a line of the program's source, or what a probe found, over all threads.
 */
#ifndef HP_FLOWS_H
#define HP_FLOWS_H

#include "calls/points.h"
#include "calls/trend.h"
#include "segment.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hp_flow_state {
	HP_FLOW_ACTIVE = 0,
	/** One of them is: there are as many messages in it as it can hold. */
	HP_FLOW_FULL = 1,
	/** All of them are. */
	HP_FLOW_CLOSED = 2,
	/** Of channels for one message: each has had it. */
	HP_FLOW_NOTIFIED = 3,
	HP_FLOW_STATES = 4,
};

/** How long things took: messages from send to receive, futures from beginning to end, turns of a loop. */
struct hp_flow_times {
	/** How many were measured. */
	uint64_t count;
	uint64_t sum_ns;
	/** Both 0 when there was none. */
	uint64_t min_ns;
	uint64_t max_ns;
	struct hp_points points;
};

/** Of futures: each time that one ran. */
struct hp_flow_polls {
	uint64_t count;
	uint64_t total_ns;
	uint64_t max_ns;
	/** Allocated meanwhile; 0 where allocations are not recorded. */
	uint64_t bytes;
	uint64_t blocks;
};

struct hp_flow {
	/** HP_SITE_CHANNEL, _STREAM, _FUTURE, _LOOP, _DBG, _VAL or _GAUGE. */
	enum hp_site_kind kind;
	/** Its label, key or expression; or what a probe found, such as "uv_fs_write on_written". */
	char *name;
	/** The program has called it so. */
	bool is_labelled;
	/** NULL when not known. */
	char *file;
	uint32_t line;
	/** Its site in the segment; 0 when there is none. */
	uint32_t id;
	/** So many were made here, and so many of them closed or ended; of futures, ready or cancelled. */
	uint64_t instances;
	uint64_t closed;
	enum hp_flow_state state;
	/** Of channels: each carries one message. */
	bool is_oneshot;
	/** Messages or items, and their bytes. A stream sends. */
	uint64_t sent;
	uint64_t received;
	uint64_t bytes;
	/** Messages that are in channels now; the most there were in one; and how many go in, 0 for any number. */
	uint64_t queued;
	uint64_t most_queued;
	uint64_t capacity;
	/** That receivers waited for messages; 0 when that was not seen. */
	uint64_t waited_ns;
	struct hp_flow_times times;
	/** Of futures. */
	uint64_t cancelled;
	struct hp_flow_polls polls;
	/** Work in a thread pool: that it waited for a thread, and that it took there. */
	uint64_t queued_ns;
	uint64_t served_ns;
	/** Of loops: that they waited, and that callbacks took; the one that took longest, NULL when not known. */
	uint64_t idle_ns;
	uint64_t callback_ns;
	uint64_t callbacks;
	uint64_t slowest_ns;
	char *slowest;
	/** Of values and gauges: how often they were set, and the last one; of a gauge, a double. */
	uint64_t updates;
	/** An enum hp_value; a string is in text, anything else in the bits of value. */
	uint32_t value_kind;
	uint64_t value;
	char *text;
	double min;
	double max;
	/** Not the row's own; NULL where nobody watched. Of what is sent, or begun, or set; and received. */
	const struct hp_trend *sent_trend;
	const struct hp_trend *received_trend;
};

/** Labelled rows first, then by name, file and line. */
struct hp_flows {
	struct hp_flow *items;
	size_t count;
};

/** One of the newest messages, items, futures or values. */
struct hp_flow_event {
	/** Which it is of all that were logged. */
	uint64_t number;
	/** Since it was sent, begun or set. */
	uint64_t ago_ns;
	uint32_t tid;
	/** Of a future, an enum hp_future_state. */
	uint32_t state;
	uint32_t polls;
	uint64_t bytes;
	/** Until it was received or ended; and whether that is known. */
	uint64_t took_ns;
	bool has_ended;
	/** Of a message: it is in the channel still. Of one that has not ended either, that is not known. */
	bool is_queued;
	/** An enum hp_value: a number is in value; text is a message, or a value that is a string. */
	uint32_t value_kind;
	uint64_t value;
	char text[HP_LONG_TEXT_MAX];
};

/** Whether a row is of such a kind. */
bool hp_flow_is_kind(enum hp_site_kind kind);

/** What has become of channels for one message. */
enum hp_flow_state hp_flow_oneshot_state(const struct hp_flow *flow);

/** Append a row, which becomes the list's. Returns false when memory ran out; it is the caller's then. */
bool hp_flows_append(struct hp_flows *flows, struct hp_flow flow);

/** Labelled rows first, then by name. */
void hp_flows_sort(struct hp_flows *flows);

/** Add those of one process to those of another: what has the same kind, name, file and line is one row. 0 or -ENOMEM. */
int hp_flows_merge(struct hp_flows *into, const struct hp_flows *from);

void hp_flow_clear(struct hp_flow *flow);
void hp_flows_clear(struct hp_flows *flows);

#endif
