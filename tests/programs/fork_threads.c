/* SPDX-License-Identifier: MIT */
/*
 * Threads that measure all the while, and forks from main and from one of them; the children measure too.
 */
#include <hotpath.h>

#include "truth.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>

enum {
	THREADS = 3,
	FORKS = 30,
	DEPTH = 300,
	CALLS = 500,
};

static bool stop;
static uint64_t calls;

__attribute__((noinline)) static void busy(void)
{
	HOTPATH_MEASURE();
}

/* Deeper than the calls that can be open on a stack that is not known. */
__attribute__((noinline)) static void deep(int more)
{
	HOTPATH_MEASURE();

	if (more > 1)
		deep(more - 1);
	busy();
}

static void child(void)
{
	for (int i = 0; i < CALLS; i++)
		busy();
	deep(DEPTH);
	truth_of_process("busy", CALLS + DEPTH, "deep", DEPTH);
	_exit(0);
}

static void *forks(void *unused)
{
	(void)unused;
	for (int i = 0; i < FORKS; i++)
		if (fork() == 0)
			child();
	return NULL;
}

static void *measures(void *unused)
{
	uint64_t own = 0;

	(void)unused;
	for (; !__atomic_load_n(&stop, __ATOMIC_RELAXED); own++)
		busy();
	__atomic_add_fetch(&calls, own, __ATOMIC_RELAXED);
	return NULL;
}

int main(void)
{
	HOTPATH_MAIN();
	pthread_t threads[THREADS], forking;

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, measures, NULL);
	pthread_create(&forking, NULL, forks, NULL);
	forks(NULL);
	pthread_join(forking, NULL);
	while (wait(NULL) > 0)
		;
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	truth_of_process("busy", calls, NULL, 0);
	return 0;
}
