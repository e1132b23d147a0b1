/* SPDX-License-Identifier: MIT */
/*
 * Threads that start, measure and end.
 *
 * usage: many_threads THREADS AT_ONCE [many-keys]
 */
#include <hotpath.h>

#include "truth.h"

#include <pthread.h>
#include <stdlib.h>

enum {
	AT_ONCE_MAX = 64,
	MANY = 64,
};

static uint64_t calls, bodies;
static pthread_barrier_t all;

__attribute__((noinline)) static void short_call(void)
{
	HOTPATH_MEASURE();

	__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
}

/* All of a batch are there at the same time. */
static void *body(void *unused)
{
	HOTPATH_MEASURE();

	__atomic_add_fetch(&bodies, 1, __ATOMIC_RELAXED);
	short_call();
	pthread_barrier_wait(&all);
	short_call();
	return unused;
}

static void batch(unsigned threads)
{
	pthread_t ids[AT_ONCE_MAX];

	pthread_barrier_init(&all, NULL, threads);
	for (unsigned i = 0; i < threads; i++)
		if (pthread_create(&ids[i], NULL, body, NULL))
			exit(1);
	for (unsigned i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	pthread_barrier_destroy(&all);
}

int main(int argc, char **argv)
{
	HOTPATH_MAIN();
	uint64_t start = own_clock();
	unsigned at_once = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
	pthread_key_t key;

	for (int i = 0; argc > 3 && i < MANY; i++)
		pthread_key_create(&key, NULL);
	for (int left = argc > 1 ? atoi(argv[1]) : 1; left > 0; left -= (int)at_once)
		batch(at_once <= AT_ONCE_MAX ? at_once : AT_ONCE_MAX);
	truth("short_call", calls);
	truth("body", bodies);
	truth("@elapsed", own_clock() - start);
	return 0;
}
