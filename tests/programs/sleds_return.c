/* SPDX-License-Identifier: MIT */
/*
 * A function that is too short to be timed, and later takes long; nothing else is measured meanwhile. It prints how long the long
 * calls took together, in nanoseconds of CPU time.
 *
 * usage: sleds_return main       all on the main thread
 *        sleds_return thread     the long calls are made by a new thread
 *        sleds_return signals    the program has uses of its own for signals before that; it prints how many came
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))
#define INLINE static inline __attribute__((always_inline))

enum {
	SHORT_MS = 100,
	LONG_MS = 10,
	LONG_CALLS = 100,
	/* Calls between two readings of the clock. */
	CALLS = 512,
};

static volatile unsigned sum;
static volatile sig_atomic_t signals;

INLINE long long cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

NOINLINE static void work(long milliseconds)
{
	if (milliseconds)
		for (long long end = cpu_ns() + milliseconds * 1000000LL; cpu_ns() < end;)
			for (unsigned i = 0; i < CALLS; i++)
				sum += i;
	sum++;
}

INLINE void work_shortly(void)
{
	for (long long end = cpu_ns() + SHORT_MS * 1000000LL; cpu_ns() < end;)
		for (unsigned i = 0; i < CALLS; i++)
			work(0);
}

static void *work_long(void *unused)
{
	long long begin = cpu_ns();

	for (unsigned i = 0; i < LONG_CALLS; i++)
		work(LONG_MS);
	printf("@long %lld\n", cpu_ns() - begin);
	return unused;
}

static void count_signal(int signal)
{
	(void)signal;
	signals++;
}

static void want_signals(void)
{
	struct sigaction action = { .sa_handler = count_signal };

	sigaction(SIGURG, &action, NULL);
	sigaction(SIGWINCH, &action, NULL);
}

int main(int argc, char **argv)
{
	bool wants_signals = argc > 1 && strcmp(argv[1], "signals") == 0;
	pthread_t thread;

	work_shortly();
	if (wants_signals)
		want_signals();
	if (argc > 1 && strcmp(argv[1], "thread") == 0) {
		if (pthread_create(&thread, NULL, work_long, NULL))
			return 1;
		pthread_join(thread, NULL);
		return 0;
	}
	work_long(NULL);
	if (wants_signals)
		printf("@signals %d\n", (int)signals);
	return 0;
}
