/* SPDX-License-Identifier: MIT */
/* Computing for so much CPU time, for programs that are sampled. */
#ifndef COMPUTE_H
#define COMPUTE_H

#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* CPU time of the process in nanoseconds, as the kernel counts it. */
static inline long long used_ns(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000LL +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000LL;
}

static inline long long thread_used_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* So many milliseconds of the thread's CPU time. */
__attribute__((noinline, unused)) static void compute(unsigned milliseconds)
{
	long long end = thread_used_ns() + milliseconds * 1000000LL;

	do
		for (volatile int i = 0; i < 100000; i++)
			;
	while (thread_used_ns() < end);
}

/* A line of its own, whoever else writes there. */
static inline void tell_used(void)
{
	char line[64];
	int length = snprintf(line, sizeof(line), "%d %lld\n", (int)getpid(), used_ns());

	(void)!write(1, line, (size_t)length);
}

#endif
