/* SPDX-License-Identifier: MIT */
/* Clocks of the tool. */
#ifndef HP_NOW_H
#define HP_NOW_H

#include <stdint.h>
#include <time.h>

/** The time by a clock, in nanoseconds; 0 if there is no such clock. */
static inline uint64_t hp_clock_ns(clockid_t clock)
{
	struct timespec now = { 0, 0 };

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/** CLOCK_MONOTONIC, in nanoseconds. */
static inline uint64_t hp_now_ns(void)
{
	return hp_clock_ns(CLOCK_MONOTONIC);
}

/** The CPU time of this thread, in nanoseconds. */
static inline uint64_t hp_own_cpu_ns(void)
{
	return hp_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

#endif
