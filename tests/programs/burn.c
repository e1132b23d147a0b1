/* SPDX-License-Identifier: MIT */
/*
 * Burns CPU time in four functions, of which they have 10, 20, 30 and 40 %.
 *
 * usage: burn MILLISECONDS THREADS
 *
 * Each thread burns about so many milliseconds of CPU time. Prints the CPU time of the process in nanoseconds, as
 * the kernel counts it.
 */
#include <hotpath.h>

#include "steps.h"

#include <err.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum {
	/* Of work, for each 10 % of the shortest round: some milliseconds, so that even ticks fall into each. */
	UNIT = 1 << 21,
};

/* How long this round is, in 1/128: rounds of one length could keep step with the samples. */
static __thread unsigned length = 128;

static void burn(unsigned units)
{
	take_steps((uint64_t)units * (UNIT / 128) * length);
}

__attribute__((noinline)) static void burn_10(void)
{
	HOTPATH_MEASURE();
	burn(1);
}

__attribute__((noinline)) static void burn_20(void)
{
	HOTPATH_MEASURE();
	burn(2);
}

__attribute__((noinline)) static void burn_30(void)
{
	HOTPATH_MEASURE();
	burn(3);
}

__attribute__((noinline)) static void burn_40(void)
{
	HOTPATH_MEASURE();
	burn(4);
}

static uint64_t thread_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static unsigned burn_round(unsigned round_length)
{
	length = round_length;
	burn_10();
	burn_20();
	burn_30();
	burn_40();
	return round_length;
}

/*
 * The clock is read in the first round only: to ask for CPU time is a moment at which the kernel likes to give
 * the processor to another thread, and so ticks would not fall where they like.
 */
static void *work(void *milliseconds)
{
	static unsigned threads;
	unsigned seed = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED) * 2654435761U;
	uint64_t wanted = (uint64_t)(uintptr_t)milliseconds * 1000000;
	uint64_t before = thread_ns(), done = burn_round(256), took = thread_ns() - before;

	while (done * took / 256 < wanted) {
		seed = seed * 1103515245 + 12345;
		done += burn_round(128 + (seed >> 16) % 256);
	}
	return NULL;
}

static uint64_t nanoseconds(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_usec * 1000;
}

int main(int argc, char **argv)
{
	enum { MAX = 64 };
	pthread_t threads[MAX];
	struct rusage usage;

	HOTPATH_MAIN();
	if (argc != 3)
		errx(2, "usage: burn MILLISECONDS THREADS");
	void *milliseconds = (void *)strtoul(argv[1], NULL, 10);
	unsigned long count = strtoul(argv[2], NULL, 10);
	if (count < 1 || count > MAX)
		errx(2, "1 to %d threads", MAX);
	for (unsigned long i = 1; i < count; i++)
		if (pthread_create(&threads[i], NULL, work, milliseconds))
			errx(2, "no thread");
	work(milliseconds);
	for (unsigned long i = 1; i < count; i++)
		pthread_join(threads[i], NULL);
	getrusage(RUSAGE_SELF, &usage);
	printf("%" PRIu64 "\n", nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime));
	return 0;
}
