/* SPDX-License-Identifier: MIT */
/* A program of 24 phases, which take 0.9 ms of CPU time each, with another function that is too short to be timed. */
#include <stdio.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))

enum {
	PHASE_NS = 900000,
	/* Calls between two readings of the clock. */
	CALLS = 512,
};

static volatile unsigned sum;

static long long cpu_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* clang-format off */
#define PHASES(PHASE) \
	PHASE(a0) PHASE(a1) PHASE(a2) PHASE(a3) PHASE(a4) PHASE(a5) PHASE(a6) PHASE(a7) \
	PHASE(b0) PHASE(b1) PHASE(b2) PHASE(b3) PHASE(b4) PHASE(b5) PHASE(b6) PHASE(b7) \
	PHASE(c0) PHASE(c1) PHASE(c2) PHASE(c3) PHASE(c4) PHASE(c5) PHASE(c6) PHASE(c7)
/* clang-format on */

/* No two of them are alike, or the compiler makes one of both. */
#define DEFINE(name)                                                                               \
	NOINLINE static void name(unsigned number)                                                 \
	{                                                                                          \
		sum += number ^ __COUNTER__;                                                       \
	}
PHASES(DEFINE)

#define RUN(name)                                                                                  \
	for (long long end = cpu_ns() + PHASE_NS; cpu_ns() < end;)                                 \
		for (unsigned i = 0; i < CALLS; i++)                                               \
			name(i);

int main(void)
{
	PHASES(RUN)
	return 0;
}
