/* SPDX-License-Identifier: MIT */
/*
 * Interface between the recorder and the code that prints the report of a program that measures itself.
 *
 * Only the recorder is loaded into measured programs. Reader and views are in libhotpath-report.so, which is loaded
 * when a program begins to measure itself; a static program contains both. They are built and installed together, and
 * refuse to work with another version.
 */
#ifndef HOTPATH_REPORTER_H
#define HOTPATH_REPORTER_H

#include <hotpath/abi.h>
#include <hotpath/version.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOTPATH_REPORTER_FILE "libhotpath-report.so.0"
#define HOTPATH_REPORTER_NAME "hotpath_reporter"

struct hush;

/** What it needs of the recorder. */
struct hotpath__host {
	/** One line on standard error. */
	void (*warn)(const char *line);
	/** Whether a standard stream is still the one that the program began with. */
	bool (*is_stream)(int fd);
	/** Write to a descriptor, suppressing signals such as SIGPIPE. Returns 0 or a negative errno. */
	int (*write)(int fd, const char *bytes, size_t length);
	/** What the environment asks for. */
	bool wants_alloc;
	bool wants_cpu;
	/** Other threads that were in a measured call when recording ended. */
	unsigned threads_in_calls;
};

struct hotpath__reporter {
	/** Of this struct. */
	uint32_t size;
	/** That of hotpath_version. */
	const char *version;
	/** Print the report of a segment in memory, as the options and the environment say. */
	void (*print)(const struct hotpath__host *host, const void *segment, size_t size,
		      const struct hotpath_options *options);
};

/** NULL if there is none; then a message says why. */
const struct hotpath__reporter *hotpath__find_reporter(void);

extern const struct hotpath__reporter hotpath_reporter;

#endif
