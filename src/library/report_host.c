/* SPDX-License-Identifier: MIT */
/* What the recorder offers to the code that prints the program's report. */
#include "process/lifecycle.h"
#include "process/platform.h"
#include "process/recorder_state.h"
#include "process/seccomp.h"
#include "process/settings.h"
#include "reporter.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	PATIENCE_MS = 5000,
};

static void warn(const char *line)
{
	hotpath__warn(line, NULL);
}

/* Wait until something can be written, with a limit in case nobody reads. */
static bool writable(int fd)
{
	struct pollfd output = { fd, POLLOUT, 0 };

	return poll(&output, 1, PATIENCE_MS) != 0;
}

static int write_all(int fd, const char *bytes, size_t length)
{
	while (length) {
		if (!writable(fd))
			return -EPIPE;
		ssize_t written = write(fd, bytes, length < PIPE_BUF ? length : PIPE_BUF);
		if (written < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		bytes += written > 0 ? written : 0;
		length -= written > 0 ? (size_t)written : 0;
	}
	return 0;
}

static int write_quietly(int fd, const char *bytes, size_t length)
{
	struct hush hush;

	hotpath__hush(&hush);
	int error = write_all(fd, bytes, length);
	hotpath__unhush(&hush);
	return error;
}

static bool is_probe_wanted(void)
{
	const char *mode = secure_getenv("HOTPATH_ALLOC");

	return mode && *mode && hotpath__settings()->alloc != HP_ALLOC_NONE;
}

/*
 * Count threads that are in a measured call; one may end meanwhile. Threads are never removed from the list, and only
 * their own fields are read.
 */
__attribute__((no_sanitize("thread"))) static unsigned threads_in_calls(void)
{
	unsigned count = 0;

	for (const struct thread *at = hotpath__recorder->threads; at; at = at->next)
		count += at != hotpath__me && at->busy && at->top > at->frames;
	return count;
}

void hotpath__report_prepare(void)
{
	if (!hotpath__settings()->run[0])
		hotpath__find_reporter();
}

void hotpath__self_report(const void *segment, size_t size, const struct hotpath_options *options)
{
	const struct hotpath__reporter *reporter = hotpath__find_reporter();
	struct hotpath__host host = { warn,
				      hotpath__is_stream,
				      write_quietly,
				      is_probe_wanted(),
				      hotpath__settings()->cpu == CPU_ON,
				      threads_in_calls() };

	if (reporter)
		reporter->print(&host, segment, size, options);
}
