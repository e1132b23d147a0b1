/* SPDX-License-Identifier: MIT */
/* Clocks of the tool. */
#ifndef HP_NOW_H
#define HP_NOW_H

#include <stdint.h>
#include <time.h>

/** CLOCK_MONOTONIC, in nanoseconds. */
static inline uint64_t hp_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/** The CPU time of this thread, in nanoseconds. */
static inline uint64_t hp_own_cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

#endif
