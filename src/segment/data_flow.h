/* SPDX-License-Identifier: MIT */
/*
 * The part of a segment that is about channels, streams, futures, event loops and values. The rules are those of the
 * whole, in segment.h.
 */
#ifndef HP_DATA_FLOW_H
#define HP_DATA_FLOW_H

#include <stdint.h>

enum {
	/* The number of queues: so many channels can be open at once and have a queue of their own. */
	HP_QUEUES_MAX = 65536,
	/* Items of a log, which are the newest messages, stream items, futures or values of a site; and the size
	   of an item's text in bytes, with its final NUL. */
	HP_LOG = 64,
	HP_MESSAGE_SIZE = 192,
};

/* The enums *_word give the meaning of the four words `flow` of a stat, for each kind of site. */
enum hp_channel_word {
	/* Messages sent and received by this thread; and the bytes that it sent. */
	HP_CHANNEL_SENT = 0,
	HP_CHANNEL_RECEIVED = 1,
	HP_CHANNEL_BYTES = 2,
	/* Ticks that this thread waited to receive a message, and to send one, as far as the program or a probe told. */
	HP_CHANNEL_WAITED = 3,
	HP_CHANNEL_SEND_WAITED = 4,
};

enum hp_channel_kind {
	/* A channel for any number of messages. */
	HP_CHANNEL_MANY = 0,
	/* A channel for one message: it is closed when that message is received. */
	HP_CHANNEL_ONESHOT = 1,
};

enum hp_stream_word {
	HP_STREAM_ITEMS = 0,
	HP_STREAM_BYTES = 2,
};

enum hp_future_word {
	/* Futures created by this thread; and futures that it ended without a result. */
	HP_FUTURE_MADE = 0,
	HP_FUTURE_CANCELLED = 1,
	/* Ticks that the work of futures waited for a thread of a pool; and ticks that it ran there. */
	HP_FUTURE_QUEUED = 2,
	HP_FUTURE_SERVED = 3,
};

enum hp_value_word {
	/* How often this thread set the expression, value or gauge. */
	HP_VALUE_UPDATES = 0,
};

enum hp_loop_word {
	/* Ticks that the loop waited; ticks spent in callbacks; the number of callbacks. */
	HP_LOOP_IDLE = 0,
	HP_LOOP_CALLBACK = 1,
	HP_LOOP_CALLBACKS = 2,
};

enum hp_lock_word {
	/* How often this thread acquired the lock; how often it had to wait for it; and how often it gave up, because a
	   try failed or the time was over; and how often it had waited in vain then. Part 0 has the times for which the lock
	   was held, part 1 the waits. */
	HP_LOCK_ACQUIRED = 0,
	HP_LOCK_CONTENDED = 1,
	HP_LOCK_REFUSED = 2,
	HP_LOCK_IN_VAIN = 3,
};

/* The state of a future. */
enum hp_future_state {
	HP_FUTURE_PENDING = 1,
	HP_FUTURE_RUNNING = 2,
	HP_FUTURE_SUSPENDED = 3,
	HP_FUTURE_READY = 4,
	HP_FUTURE_DROPPED = 5,
};

/**
 * The part of a channel, stream, future, loop or value that belongs to no single thread; one for each site. Several
 * writers: counts are added atomically, other fields keep the value that was stored last.
 */
struct hp_shared {
	uint64_t next;
	uint32_t site;
	/* Another site. For futures: the site of their polls. For a loop: the site of its slowest callback. */
	uint32_t other;
	/* For channels, streams and locks: how many were created, and how many of them closed or ended. */
	uint64_t instances;
	uint64_t closed;
	/* For channels: the capacity in messages, 0 for no limit; and in `most` the largest number of messages
	   that one of them held at once. For a loop, `most` is the duration of the slowest callback, in ticks. For a
	   lock, it is the largest number of threads that waited for one of them at once. */
	uint64_t capacity;
	uint64_t most;
	/* The log, allocated when the first item is logged. RELEASE. */
	uint64_t log;
	/* For a gauge: its current, lowest and highest value, as the bits of a double; and when it was last
	   logged, in ticks, which happens about a thousand times per second at most. */
	uint64_t current;
	uint64_t min;
	uint64_t max;
	uint64_t logged;
	/* For the recorder: how many changes of the gauge are not logged before the clock is read again (low
	   half), and how often in a row it was too early (high half). */
	uint64_t patience;
	/* For channels: an enum hp_channel_kind; how long those that are closed were open, and full, in ticks, if they had
	   a queue. */
	uint64_t channel_kind;
	uint64_t open_ticks;
	uint64_t full_ticks;
	uint64_t reserved0;
};

/**
 * An item of a log: a message, a stream item, a future or a value. Written by one thread at a time; the item of a
 * future by each thread that has the future, in turn.
 */
struct hp_logged {
	/* The item's number among all that were ever logged, from 1 on; 0 while it is being written. RELEASE. */
	uint64_t number;
	/* When the message was sent, the item yielded, the future created or the value set, in ticks. A received
	   message is also a call of its channel, which began at this time. */
	uint64_t time;
	uint32_t tid;
	/* An enum hp_value: the type of `value`; strings are in `text`. */
	uint32_t value_kind;
	uint64_t value;
	/* For a future: an enum hp_future_state, how often it was polled, and when it ended. `end` of a message is
	   when it was received; `bytes` is the size of a message or item. */
	uint32_t state;
	uint32_t polls;
	uint64_t end;
	uint64_t bytes;
	uint64_t reserved0;
	char text[HP_MESSAGE_SIZE];
};

struct hp_log {
	/* How many items were ever begun. Several writers, atomic adds. */
	uint64_t count;
	/* The texts of all items again, at greater length; 0 when there are none. RELEASE. */
	uint64_t long_texts;
	uint64_t reserved0[6];
	/* Number n is at n - 1 modulo HP_LOG. */
	struct hp_logged items[HP_LOG];
};

/**
 * The queue of an open channel. `sent` less `received` messages are in it; that is negative for a moment if the
 * program reports a receive before the other thread has reported the send.
 */
struct hp_queue {
	uint64_t next;
	/* The channel's site, RELEASE; 0 while the queue is unused. The generation is incremented when the queue
	   is given back, so that a token of an earlier channel does not match. */
	uint32_t site;
	uint32_t generation;
	uint64_t capacity;
	/* The stamps: an array of stamp_count words, an odd number, with the times at which messages were sent. That of a
	   message is at its number modulo stamp_count; see hp_stamp. */
	uint64_t stamps;
	uint64_t stamp_count;
	/* One message in 1 << stamp_shift has a stamp, and is counted as that many messages when it is received. */
	uint64_t stamp_shift;
	/* When the channel was opened, or the session began, in ticks; and 1 once it has held as many messages as it can. */
	uint64_t opened;
	uint64_t was_full;
	/* From here on senders write, with atomic adds; `received`, which receivers write, is on a cache line of
	   its own. */
	uint64_t sent;
	uint64_t most;
	/* The value of `received` that a sender has last read; and the number of messages, computed with that
	   value, above which a sender reads `received` again. */
	uint64_t seen;
	uint64_t patience;
	uint64_t reserved1[4];
	uint64_t received;
	/* How long it was full, in ticks: receivers add the time since the message was sent that took the last room. */
	uint64_t full_ticks;
	uint64_t reserved2[6];
};

/* The low bits of a stamp, which hold the end of the message's number plus one; the rest is the end of the time. An unused
   stamp is 0. */
#define HP_STAMP_NUMBER_BITS 16

/** The stamp of a message. */
static inline uint64_t hp_stamp(uint64_t number, uint64_t now)
{
	return now << HP_STAMP_NUMBER_BITS | ((number + 1) & ((1 << HP_STAMP_NUMBER_BITS) - 1));
}

/** Whether a message has a stamp: the last one of each 1 << shift messages has, and stands for all of them. */
static inline int hp_has_stamp(uint64_t number, uint64_t shift)
{
	return ((number + 1) & ((UINT64_C(1) << shift) - 1)) == 0;
}

/** Whether a stamp is that of a message, and not of another one that had its place. */
static inline int hp_is_stamp_of(uint64_t stamp, uint64_t number)
{
	return stamp && (stamp ^ hp_stamp(number, 0)) << (64 - HP_STAMP_NUMBER_BITS) == 0;
}

/** How long it is since a message was sent; 0 when that was after `now`, by the clock of another thread. */
static inline uint64_t hp_stamp_age(uint64_t stamp, uint64_t now)
{
	uint64_t bits = 64 - HP_STAMP_NUMBER_BITS, mask = (UINT64_C(1) << bits) - 1;
	uint64_t age = (now - (stamp >> HP_STAMP_NUMBER_BITS)) & mask;

	return age >> (bits - 1) ? 0 : age;
}

#endif
