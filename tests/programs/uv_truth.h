/* SPDX-License-Identifier: MIT */
/*
 * What a program that uses libuv knows of itself, for a test to compare its report with: a line of JSON for each
 * kind of request or handle and its callback.
 */
#ifndef UV_TRUTH_H
#define UV_TRUTH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

struct tally {
	/* As in the report. */
	const char *name;
	uint64_t made;
	uint64_t ran;
	uint64_t cancelled;
};

/* Callbacks of all loops, and steps that other threads ran. */
static uint64_t callbacks;

/* Whatever is not so is the probe's fault, or libuv's. */
#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);    \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

static inline uint64_t raise_count(uint64_t *count)
{
	return __atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
}

/* libuv was asked, and has agreed. */
static inline void made(struct tally *tally, int result)
{
	MUST(result == 0);
	raise_count(&tally->made);
}

/* A callback of it runs, with this status. */
static inline void ran(struct tally *tally, int64_t status)
{
	raise_count(&tally->ran);
	raise_count(&callbacks);
	if (status == UV_ECANCELED)
		raise_count(&tally->cancelled);
}

static inline void print_tally(const struct tally *tally)
{
	printf("{\"name\":\"%s\",\"call_count\":%llu,\"ended_count\":%llu,\"total_polls\":%llu,"
	       "\"cancelled_count\":%llu}\n",
	       tally->name, (unsigned long long)tally->made, (unsigned long long)tally->made,
	       (unsigned long long)tally->ran, (unsigned long long)tally->cancelled);
}

#endif
