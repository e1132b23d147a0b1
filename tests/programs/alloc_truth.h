/* SPDX-License-Identifier: MIT */
/*
 * What a program knows of its allocations, for a test to compare its report with.
 *
 * Lines of JSON on standard output, each with the process that it is of; without stdio, which allocates.
 */
#ifndef ALLOC_TRUTH_H
#define ALLOC_TRUTH_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A function that is there as often as it is called, and one that is not measured. */
#define ALONE __attribute__((noinline))
#define SKIP __attribute__((no_instrument_function))

/* One line, of two numbers at most. */
SKIP static inline void tell_truth(const char *what, const char *name, const char *first,
				   uint64_t one, const char *second, uint64_t other)
{
	char line[256];
	int length = snprintf(line, sizeof(line),
			      "{\"pid\":%d,\"%s\":\"%s\",\"%s\":%" PRIu64 ",\"%s\":%" PRIu64 "}\n",
			      (int)getpid(), what, name, first, one, second, other);

	if (write(STDOUT_FILENO, line, (size_t)length) != length)
		_exit(1);
}

/** What a function allocated itself, as asked for. */
SKIP static inline void allocated(const char *name, uint64_t bytes, uint64_t count)
{
	tell_truth("alloc", name, "bytes", bytes, "count", count);
}

/** And with what it called. */
SKIP static inline void inclusive(const char *name, uint64_t bytes, uint64_t count)
{
	tell_truth("alloc", name, "inclusive_bytes", bytes, "inclusive_count", count);
}

/** What it freed, whoever had allocated it. */
SKIP static inline void freed(const char *name, uint64_t bytes, uint64_t count)
{
	tell_truth("alloc", name, "freed_bytes", bytes, "freed_count", count);
}

/** Of what it allocated, what was freed before it returned, or next. */
SKIP static inline void temporary(const char *name, uint64_t count)
{
	tell_truth("alloc", name, "temporary_count", count, "temporary_count", count);
}

/** What it allocated and is there still. */
SKIP static inline void live(const char *name, uint64_t bytes, uint64_t blocks)
{
	tell_truth("live", name, "bytes", bytes, "blocks", blocks);
}

/** It freed all that it allocated, which is known to the C library alone. */
SKIP static inline void balanced(const char *name)
{
	tell_truth("balanced", name, "bytes", 0, "count", 0);
}

/** What the report says was not measured. */
SKIP static inline void dropped(const char *counter, uint64_t count)
{
	tell_truth("dropped", counter, "count", count, "count", count);
}

/** The program is not what it thinks it is. */
SKIP static inline void require(int truth, const char *what)
{
	if (truth)
		return;
	fprintf(stderr, "not so: %s\n", what);
	_exit(1);
}

#define REQUIRE(truth) require(truth, #truth)

#endif
