/* SPDX-License-Identifier: MIT */
/*
 * Calls that have begun when their function is restrained, and threads that are not to be restrained for what others did.
 *
 * usage: sleds_settle open       `work` is called by itself, all too often, and its first call takes some milliseconds
 *        sleds_settle threads    one thread after the other calls `seldom`
 */
#include <pthread.h>
#include <string.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))

enum {
	WORK_CALLS = 100000,
	BURN_MS = 30,
	THREADS = 12,
	SELDOM_CALLS = 1000,
	STEPS_BETWEEN = 20000,
};

static volatile unsigned sum;

static inline __attribute__((always_inline)) void burn(long milliseconds)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 <
	       milliseconds);
}

/* It is timed all the time, so that the governor is asked now and then. */
NOINLINE static void tick(void)
{
	for (unsigned i = 0; i < 3000; i++)
		sum += i;
}

NOINLINE static void work(unsigned calls)
{
	for (unsigned i = 0; i < calls; i++) {
		work(0);
		if (i % 100 == 0)
			tick();
	}
	sum += calls;
}

NOINLINE static void inner(void)
{
	burn(4);
	sum++;
}

/* What it calls last is deeper on the stack than `work` was: if that seemed to be in progress, it would be around it. */
NOINLINE static void caller(void)
{
	work(WORK_CALLS);
	burn(BURN_MS);
	volatile char *room = __builtin_alloca(8192);
	room[0] = 1;
	inner();
	sum += room[0];
}

NOINLINE static void seldom(unsigned number)
{
	sum += number;
}

static void *call_seldom(void *unused)
{
	for (unsigned i = 0; i < SELDOM_CALLS; i++) {
		seldom(i);
		for (unsigned j = 0; j < STEPS_BETWEEN; j++)
			sum += j;
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc > 1 && strcmp(argv[1], "open") == 0)
		caller();
	for (unsigned i = 0; i < THREADS && argc > 1 && strcmp(argv[1], "threads") == 0; i++)
		if (pthread_create(&thread, NULL, call_seldom, NULL) == 0)
			pthread_join(thread, NULL);
	return 0;
}
