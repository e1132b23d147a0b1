/* SPDX-License-Identifier: MIT */
/* The monotonic clock. */
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

#endif
