/* SPDX-License-Identifier: MIT */
/* Threads that start recording at the same time, and stop it at the same time: one of them does. */
#include <hotpath.h>

#include "truth.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

enum {
	THREADS = 4,
	ROUNDS = 500,
	CALLS = 10,
};

static pthread_barrier_t barrier;
static uint64_t stopped;

__attribute__((noinline)) static void measured(void)
{
	HOTPATH_MEASURE();
}

/* The last report is left where the environment says. */
static void *run(void *unused)
{
	struct hotpath_options options = HOTPATH_OPTIONS_INIT;

	for (int i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&barrier);
		if (hotpath_start(&options))
			exit(1);
		pthread_barrier_wait(&barrier);
		for (int j = 0; j < CALLS; j++)
			measured();
		pthread_barrier_wait(&barrier);
		int result = hotpath_stop();
		if (result == 0)
			__atomic_add_fetch(&stopped, 1, __ATOMIC_RELAXED);
		else if (result != -EALREADY)
			exit(2);
	}
	return unused;
}

int main(void)
{
	pthread_t threads[THREADS];

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	truth("measured", THREADS * CALLS);
	truth("@rounds", ROUNDS);
	truth("@stopped", stopped);
	return 0;
}
