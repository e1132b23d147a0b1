/* SPDX-License-Identifier: MIT */
/*
 * The part of a segment that is about channels, streams, futures, event loops and values. The rules are those of the
 * whole, in segment.h.
 */
#ifndef HP_DATA_FLOW_H
#define HP_DATA_FLOW_H

#include <stdint.h>

enum {
	/* Channels that are open at once and have a queue of their own. */
	HP_QUEUES_MAX = 65536,
	/* The newest messages, items, futures or values of a site that are kept; and bytes of each one's text, with
	   its final NUL. */
	HP_LOG = 64,
	HP_MESSAGE_SIZE = 192,
};

/*
 * What the words of a stat's flow mean, by the kind of its site.
 */
enum hp_channel_word {
	/* Messages; and bytes that were sent. */
	HP_CHANNEL_SENT = 0,
	HP_CHANNEL_RECEIVED = 1,
	HP_CHANNEL_BYTES = 2,
	/* Ticks that receivers waited for a message, where a probe sees them wait. */
	HP_CHANNEL_WAITED = 3,
};

enum hp_channel_kind {
	/* Any number of messages, one after the other. */
	HP_CHANNEL_MANY = 0,
	/* One message: it has ended when that is received. */
	HP_CHANNEL_ONESHOT = 1,
};

enum hp_stream_word {
	HP_STREAM_ITEMS = 0,
	HP_STREAM_BYTES = 2,
};

enum hp_future_word {
	/* Begun here; and ended here without a result. */
	HP_FUTURE_MADE = 0,
	HP_FUTURE_CANCELLED = 1,
	/* Ticks that work waited for a thread of a pool; and that it took there. */
	HP_FUTURE_QUEUED = 2,
	HP_FUTURE_SERVED = 3,
};

enum hp_value_word {
	/* How often an expression, value or gauge was set. */
	HP_VALUE_UPDATES = 0,
};

enum hp_loop_word {
	/* Ticks in which it waited, and in which callbacks ran; how many callbacks. */
	HP_LOOP_IDLE = 0,
	HP_LOOP_CALLBACK = 1,
	HP_LOOP_CALLBACKS = 2,
};

/* What has become of a future. */
enum hp_future_state {
	HP_FUTURE_PENDING = 1,
	HP_FUTURE_RUNNING = 2,
	HP_FUTURE_SUSPENDED = 3,
	HP_FUTURE_READY = 4,
	HP_FUTURE_DROPPED = 5,
};

/**
 * What no thread has for itself of a channel, stream, future, loop or value. Several writers: atomic adds, or the
 * last one counts.
 */
struct hp_shared {
	uint64_t next;
	uint32_t site;
	/* For a future: the site of its polls. For a loop: that of its slowest callback. */
	uint32_t other;
	/* So many were made, and so many of them closed or ended; of channels and streams. */
	uint64_t instances;
	uint64_t closed;
	/* Of a channel: messages that it holds at most, 0 when there is no limit; and the most it held at once, which
	   is that of the one that held most. For a loop: how long the slowest callback took, in ticks. */
	uint64_t capacity;
	uint64_t most;
	/* The log, taken when there is anything to be logged. RELEASE. */
	uint64_t log;
	/* What a gauge is, was at least, and at most, as the bits of a double; and when it was last logged, which is
	   not more often than a thousand times a second. */
	uint64_t current;
	uint64_t min;
	uint64_t max;
	uint64_t logged;
	/* And how often it is set before it may be time again; the recorder's own. */
	uint64_t patience;
	/* Of a channel: an enum hp_channel_kind. Since version 1.6; 0 before. */
	uint64_t channel_kind;
	uint64_t reserved0[3];
};

/**
 * A message, item, future or value, of the HP_LOG newest of a site. Written by one thread at a time; of a future, by
 * each that has it in turn.
 */
struct hp_logged {
	/* Which it is of all that were logged, from 1 on; 0 while it is written. RELEASE. */
	uint64_t number;
	/* When it was sent, made or set. A message that was received is a call of the channel that began then. */
	uint64_t time;
	uint32_t tid;
	/* An enum hp_value: what the next field, or the text, is. */
	uint32_t value_kind;
	uint64_t value;
	/* Of a future: an enum hp_future_state, how often it ran, and when it ended. Of a message, its bytes. */
	uint32_t state;
	uint32_t polls;
	uint64_t end;
	uint64_t bytes;
	uint64_t reserved0;
	char text[HP_MESSAGE_SIZE];
};

struct hp_log {
	/* How many were ever begun. Several writers, atomic adds. */
	uint64_t count;
	/* The texts of all items again, at greater length; 0 when there are none. RELEASE. Since version 1.6. */
	uint64_t long_texts;
	uint64_t reserved0[6];
	/* Number n is at n - 1 modulo HP_LOG. */
	struct hp_logged items[HP_LOG];
};

/**
 * A channel that is open. Sent less received are in it; that is negative for a moment where a program says that it
 * has received before the other thread says that it has sent.
 */
struct hp_queue {
	uint64_t next;
	/* 0 when it is free. Raised with each use of it; RELEASE. */
	uint32_t site;
	uint32_t generation;
	uint64_t capacity;
	/* When messages were sent: one word for each of so many, an odd number. Only the recorder reads them. */
	uint64_t stamps;
	uint64_t stamp_count;
	/* Of 1 << this many messages, one has a stamp, and is counted as so many when it is received. */
	uint64_t stamp_shift;
	uint64_t reserved0[2];
	/* Written by who sends, and, on a cache line of its own, by who receives. Atomic adds. */
	uint64_t sent;
	uint64_t most;
	/* Received, as who sends has last seen it; and how many there may be, by that, before it looks again. */
	uint64_t seen;
	uint64_t patience;
	uint64_t reserved1[4];
	uint64_t received;
	uint64_t reserved2[7];
};

#endif
