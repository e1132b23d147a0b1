/* SPDX-License-Identifier: MIT */
/*
 * The clock of the floor: readings as times need them. On x86-64 the second one waits until what was before it is done.
 * And the limits that depend on the price of a reading.
 */
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#include <stdint.h>
#include <time.h>

#if defined(__aarch64__)
#define SPAN_BUDGET 1.15
#define NESTED_BUDGET 1.20
#define FUNCTION_BUDGET 1.30
static inline uint64_t ticks(void)
{
	uint64_t value;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
	return value;
}
#define ticks_after ticks
#else
#define SPAN_BUDGET 1.50
#define NESTED_BUDGET 1.55
#define FUNCTION_BUDGET 1.65
#if defined(__x86_64__)
static inline uint64_t ticks(void)
{
	return __builtin_ia32_rdtsc();
}

static inline uint64_t ticks_after(void)
{
	unsigned processor;

	return __builtin_ia32_rdtscp(&processor);
}
#else
static inline uint64_t ticks(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_nsec;
}
#define ticks_after ticks
#endif
#endif

static inline double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

#endif
