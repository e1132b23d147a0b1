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
	HOTPATH_SITE_MAIN = 4
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

/** One measurement in progress. Fields belong to the recorder. */
struct hotpath_span {
	uint64_t start;
	/** Tells what kind of measurement it is, where that is not known otherwise. */
	uint64_t token;
	uint64_t site;
	void *holder;
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

/** Log a value with the innermost open call of this thread: what that call returns. */
void hotpath_log_int(int64_t value);
void hotpath_log_uint(uint64_t value);
void hotpath_log_double(double value);
void hotpath_log_bool(int value);
void hotpath_log_pointer(const void *value);
/** At most the first 63 bytes are kept. NULL, or a pointer to no string, does no harm. */
void hotpath_log_string(const char *value);

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

/** The version of the library, such as "0.1.0". */
const char *hotpath_version(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
