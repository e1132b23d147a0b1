/* SPDX-License-Identifier: MIT */
/*
 * What a measured program knows of itself, for a test to compare its report with.
 *
 * Lines on standard output: "name calls" for what was measured, "@name number" for anything else; and for
 * one of several processes, all its calls as JSON.
 */
#ifndef TRUTH_H
#define TRUTH_H

#include <hotpath.h>

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

HOTPATH_SKIP static inline void truth(const char *name, uint64_t number)
{
	printf("%s %" PRIu64 "\n", name, number);
}

/** What this process measured: a function or two, NULL when there is one. Safe in a forked child. */
HOTPATH_SKIP static inline void truth_of_process(const char *first, uint64_t calls,
						 const char *second, uint64_t more)
{
	char line[256];
	int length = snprintf(line, sizeof(line), "{\"pid\":%d,\"calls\":{\"%s\":%" PRIu64,
			      (int)getpid(), first, calls);

	if (second)
		length += snprintf(line + length, sizeof(line) - (size_t)length, ",\"%s\":%" PRIu64,
				   second, more);
	length += snprintf(line + length, sizeof(line) - (size_t)length, "}}\n");
	if (write(STDOUT_FILENO, line, (size_t)length) != length)
		_exit(1);
}

/** Nanoseconds by a clock that is not the profiler's. */
HOTPATH_SKIP static inline uint64_t own_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/** Be busy for so many nanoseconds. */
HOTPATH_SKIP static inline void spend(uint64_t ns)
{
	uint64_t start = own_clock();

	while (own_clock() - start < ns)
		;
}

#endif
