/* SPDX-License-Identifier: MIT */
/*
 * The functions and types that the macros of hotpath.h use.
 *
 * Programs include hotpath.h; this file is what they are compiled against. Within a major version a
 * struct here never changes its size and a function never changes its meaning.
 */
#ifndef HOTPATH_ABI_H
#define HOTPATH_ABI_H

#include <stddef.h>
#include <stdint.h>

#include "version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Only the address is taken: to gcc, a block that is not filled yet would be used uninitialised. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11
#define HOTPATH_I_ADDRESS_ONLY __attribute__((access(none, 1)))
#else
#define HOTPATH_I_ADDRESS_ONLY
#endif

#if defined(__GNUC__) || defined(__clang__)
#define HOTPATH_I_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))
#else
#define HOTPATH_I_PRINTF(text, first)
#endif

#pragma GCC visibility push(default)

#define HOTPATH_PERCENTILES_MAX 10

/** What a site marks in the source. */
enum hotpath_site_kind {
	/** A whole function. */
	HOTPATH_SITE_FUNCTION = 1,
	/** A labelled block. */
	HOTPATH_SITE_BLOCK = 2,
	/** A labelled operation that may begin and end on different threads. */
	HOTPATH_SITE_SPAN = 3,
	/** The function that carries HOTPATH_MAIN(). */
	HOTPATH_SITE_MAIN = 4,
	HOTPATH_SITE_CHANNEL = 8,
	HOTPATH_SITE_STREAM = 9,
	HOTPATH_SITE_FUTURE = 10,
	/** An expression, a value by its key, a gauge by its key. */
	HOTPATH_SITE_DBG = 12,
	HOTPATH_SITE_VAL = 13,
	HOTPATH_SITE_GAUGE = 14,
	/** A lock of the program's own make. */
	HOTPATH_SITE_LOCK = 20,
	/** Added to a kind: every instance has a row of its own. */
	HOTPATH_SITE_ITER = 256,
	/** Added to that of a channel: it carries one message, and has ended when that is received. */
	HOTPATH_SITE_ONESHOT = 512,
	/** Added to a kind so many times: its name is the nth of several expressions, with commas between them. */
	HOTPATH_SITE_NTH = 65536
};

/** One measured place in the source; static, one for each use of a macro. */
struct hotpath_site {
	const char *name;
	const char *file;
	uint32_t line;
	/** An enum hotpath_site_kind. */
	uint32_t kind;
	/** Given by the recorder at the first use; 0 before that. */
	uint32_t id;
	uint32_t reserved;
};

/** One measurement in progress. Fields belong to the recorder, and to the inline functions of hotpath.h. */
struct hotpath_span {
	uint64_t start;
	/** Tells what kind of measurement it is, where that is not known otherwise. 0: no operation is in progress. */
	uint64_t token;
	/** 0 when the beginning was not passed on to the library; so its end must not be either. */
	uint64_t site;
	void *holder;
};

/** A channel of the program, as the recorder knows it. Zeros are none. Fields belong to the recorder. */
struct hotpath_channel {
	uint64_t token;
	uint32_t site;
	uint32_t queue;
	uint64_t reserved[2];
};

/** A lock of the program's own make. Zeros are none. */
struct hotpath_lock {
	uint64_t token;
	uint32_t site;
	uint32_t waiters;
	/** Who has it, or had it last. */
	uint64_t from;
	uint32_t call;
	uint32_t is_held;
	/** By which lanes know it; and the thread that has it. */
	uint32_t number;
	uint32_t holder;
	uint64_t reserved[3];
};

/** A stream of the program. Zeros are none. */
struct hotpath_stream {
	uint64_t token;
	uint32_t site;
	uint32_t reserved0;
	uint64_t last;
	uint64_t reserved1;
};

/** An operation that goes on in several steps. Zeros are none. */
struct hotpath_future {
	uint64_t token;
	uint64_t start;
	uint32_t site;
	uint32_t poll_site;
	uint64_t number;
	uint64_t reserved[4];
};

/** One step of a future, in progress. */
struct hotpath_poll {
	struct hotpath_span span;
	struct hotpath_site site;
	uint64_t number;
	void *item;
};

/** What the bits of a value are. */
enum hotpath_value_kind {
	HOTPATH_VALUE_INT = 1,
	HOTPATH_VALUE_UINT = 2,
	HOTPATH_VALUE_DOUBLE = 3,
	HOTPATH_VALUE_BOOL = 4,
	HOTPATH_VALUE_POINTER = 5,
	/** The address of a string. If it is not one, or NULL, that does no harm. */
	HOTPATH_VALUE_STRING = 6
};

/** A value to be logged. */
struct hotpath_value {
	/** An enum hotpath_value_kind. */
	uint64_t kind;
	uint64_t bits;
};

/** How a report is printed. */
enum hotpath_format {
	HOTPATH_FORMAT_TABLE = 0,
	HOTPATH_FORMAT_JSON = 1,
	HOTPATH_FORMAT_JSON_PRETTY = 2,
	HOTPATH_FORMAT_NONE = 3
};

/** For hotpath_options.limit: show every row. */
#define HOTPATH_NO_LIMIT (-1)

/**
 * What a program may choose for its report. The environment wins over all of it.
 * Initialise with HOTPATH_OPTIONS_INIT; a field left at zero means its default.
 */
struct hotpath_options {
	/** sizeof(struct hotpath_options), so that the struct can grow. */
	size_t size;
	/** The name of the row that is 100 %; default "main". */
	const char *caller;
	/** Percentiles to show, 0 (the minimum) to 100 (the maximum); default 95. */
	double percentiles[HOTPATH_PERCENTILES_MAX];
	/** How many of them are set. */
	unsigned percentile_count;
	enum hotpath_format format;
	/** Rows of each section; default 15, HOTPATH_NO_LIMIT for all. */
	int limit;
	/** A file, or "-" for standard output; default standard error. */
	const char *output_path;
	/** As HOTPATH_REPORT: "auto", "all", "timing", "auto,-threads"; default "auto". */
	const char *sections;
	/** Print the report and exit after so many milliseconds; 0 for never. */
	unsigned shutdown_ms;
	/** Sample the CPU so many times a second of its time, 1 to 10000; 0 for not at all. */
	unsigned cpu_rate;
};

/**
 * Not 0 when measurements that begin must be passed on to the library; 0 when nothing is recorded, so that a program may
 * skip the calls. Whoever skips a beginning also skips its end; the end of what was passed on is passed on, too, whatever
 * this is by then. Only the library writes it. To call the functions in spite of 0 does no harm.
 *
 * Read it RELAXED: a thread that sees an old value measures as if its call had come a moment earlier, and a thread that
 * was told of a start or a stop by any means that orders memory (a lock, the beginning of a thread) sees the new one.
 */
extern uint32_t hotpath_calls_wanted;

/**
 * Begin the measurement of the enclosing block.
 *
 * @param span
 *         A variable of the enclosing block, so that it ends before its stack frame does.
 * @param site
 *         Static; registered at the first use.
 *
 * Safe on any thread, in signal handlers, before main and after it. Never fails: what cannot be
 * measured is counted in the report.
 */
void hotpath_span_begin(struct hotpath_span *span, struct hotpath_site *site);

/** End it. Does nothing for a span that is not being measured. */
void hotpath_span_end(struct hotpath_span *span);

/** Begin an operation whose span is held anywhere and may be ended on any thread. */
void hotpath_operation_begin(struct hotpath_span *span, struct hotpath_site *site);

/** End it; ending it twice does nothing. */
void hotpath_operation_end(struct hotpath_span *span);

/** Start recording with the enclosing function as the caller. */
void hotpath_main_begin(struct hotpath_span *span, struct hotpath_site *site);

/** End the caller: stop recording and print the report. */
void hotpath_main_end(struct hotpath_span *span);

/** Log a value with the innermost open call of this thread: what that call returns. Of strings, 63 bytes, or HOTPATH_MAX_LOG_LEN. */
void hotpath_log(struct hotpath_value value);

/** Name this thread in reports. The thread's name in the system stays as it is. */
void hotpath_thread_name(const char *name);

/**
 * Count a block that a pool or an arena of the program hands out, for the innermost open call of this
 * thread, as one of malloc is counted.
 *
 * @param block
 *         Where it begins, which tells it from other blocks until it is freed; NULL, as from an
 *         allocation that failed, does nothing.
 * @param size
 *         As it was asked for, in bytes.
 *
 * What the pool itself takes from malloc is counted there. Safe where malloc is, and in signal handlers.
 */
HOTPATH_I_ADDRESS_ONLY void hotpath_block_alloc(const void *block, size_t size);

/** Count that the block is given back, by any thread; NULL does nothing. */
HOTPATH_I_ADDRESS_ONLY void hotpath_block_free(const void *block);

/**
 * Follow a channel: any queue through which threads or callbacks pass messages. The program goes on to use its own
 * queue; these functions are told what it does, from any thread, and change nothing of it.
 *
 * @param channel
 *         Where it is remembered: beside the queue, most likely. It may be moved, but not shared by two.
 * @param site
 *         Static. All channels that are made here are one row, unless HOTPATH_SITE_ITER is added to its kind.
 * @param capacity
 *         Messages that it holds at most; 0 when there is no limit.
 */
void hotpath_channel_new(struct hotpath_channel *channel, struct hotpath_site *site,
			 uint64_t capacity);

/**
 * A message of so many bytes is sent, or received. Messages are taken to be received in the order in which they were
 * sent. It is right to the last message where both are called with the queue locked; a sender that cannot do so
 * calls it before the message is in the queue.
 */
void hotpath_channel_send(struct hotpath_channel *channel, uint64_t bytes);
void hotpath_channel_recv(struct hotpath_channel *channel);
/** And keep a text about it; 191 bytes, or HOTPATH_MAX_LOG_LEN. */
void hotpath_channel_send_log(struct hotpath_channel *channel, uint64_t bytes, const char *format,
			      ...) HOTPATH_I_PRINTF(3, 4);
void hotpath_channel_recv_log(struct hotpath_channel *channel, const char *format, ...)
	HOTPATH_I_PRINTF(2, 3);

/** This thread begins to wait until it can send a message, or receive one; the wait ends with its next send or receive. */
void hotpath_channel_wait(struct hotpath_channel *channel);

/** It is not used any more. */
void hotpath_channel_close(struct hotpath_channel *channel);

/** Follow a stream: what yields items of so many bytes, one after the other, on any thread. As a channel. */
void hotpath_stream_new(struct hotpath_stream *stream, struct hotpath_site *site);
void hotpath_stream_yield(struct hotpath_stream *stream, uint64_t bytes);
void hotpath_stream_yield_log(struct hotpath_stream *stream, uint64_t bytes, const char *format,
			      ...) HOTPATH_I_PRINTF(3, 4);
void hotpath_stream_end(struct hotpath_stream *stream);

/** Follow a lock that the program has made itself. As a channel. */
void hotpath_lock_new(struct hotpath_lock *lock, struct hotpath_site *site);

/** This thread has found it taken, and begins to wait for it. */
void hotpath_lock_wait(struct hotpath_lock *lock);

/** This thread has acquired it, after a wait or without; and released it, or is about to. */
void hotpath_lock_held(struct hotpath_lock *lock);
void hotpath_lock_freed(struct hotpath_lock *lock);

/** Follow an operation that is begun here and goes on in steps, on any thread, one at a time. */
void hotpath_future_new(struct hotpath_future *future, struct hotpath_site *site);

/**
 * A step of it begins on this thread. Until it ends, what is measured, allocated and computed here is the future's.
 *
 * @param poll
 *         A variable of the enclosing block.
 */
void hotpath_poll_begin(struct hotpath_poll *poll, struct hotpath_future *future);
void hotpath_poll_end(struct hotpath_poll *poll);

/** The operation has come to its end; with a result; or without one. */
void hotpath_future_ready(struct hotpath_future *future);
void hotpath_future_ready_log(struct hotpath_future *future, struct hotpath_value value);
void hotpath_future_cancel(struct hotpath_future *future);

/** Keep the value of an expression, or of a key: the last one, and those before it as a log. */
void hotpath_value_set(struct hotpath_site *site, struct hotpath_value value);

/**
 * The same under a key that need not be the same each time.
 *
 * @param site
 *         Static; its name is not used.
 * @param key
 *         A string, which is copied; of a long one, 127 bytes. Of keys that are new when HOTPATH_ENTRIES_LIMIT is
 *         reached, all are "<other>".
 */
void hotpath_value_set_as(struct hotpath_site *site, const char *key, struct hotpath_value value);

/** A number that is known by its key, which may be set and added to on any thread. */
void hotpath_gauge_set(struct hotpath_site *site, double value);
void hotpath_gauge_add(struct hotpath_site *site, double difference);

/** Call an object that a probe follows, such as a GAsyncQueue or a uv_loop_t, by a name of its own. */
HOTPATH_I_ADDRESS_ONLY void hotpath_label(const void *object, const char *label);

/**
 * From now on this thread executes another stack: that of a coroutine.
 *
 * @param id
 *         What tells the coroutine from others, such as its address; 0 for the thread's own stack.
 *
 * Measured calls nest inside those of the same coroutine. Programs that switch with swapcontext need not say so.
 */
void hotpath_fiber_switch(uint64_t id);

/**
 * Start recording.
 *
 * @param options
 *         NULL for the defaults.
 * @return
 *         0, or a negative errno. Starting while recording changes nothing, warns once, and is 0.
 */
int hotpath_start(const struct hotpath_options *options);

/**
 * Stop recording and print the report. Recording can be started again and begins at zero then.
 *
 * @return
 *         0, or a negative errno: -EALREADY when nothing was being recorded.
 */
int hotpath_stop(void);

/**
 * Have a function called before recording ends, once: when hotpath_stop() is called or the function with HOTPATH_MAIN()
 * returns, when the program leaves by exit, and when HOTPATH_SHUTDOWN_MS is over. What it measures is in the report.
 *
 * @param function
 *         In place of the one before it; NULL for none. It must not leave the program.
 */
void hotpath_before_stop(void (*function)(void));

/** The version of the library, such as "0.1.0". */
const char *hotpath_version(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
