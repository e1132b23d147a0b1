/* SPDX-License-Identifier: MIT */
/* Threads that end in the midst of measured functions: by pthread_exit and by cancellation. */
#include <hotpath.h>

#include "truth.h"

#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

enum {
	THREADS = 200,
};

static uint64_t exits, waits, inners, outers;
static sem_t waiting;

__attribute__((noinline)) static void inner(void)
{
	HOTPATH_MEASURE();

	__atomic_add_fetch(&inners, 1, __ATOMIC_RELAXED);
}

__attribute__((noinline)) static void exits_thread(int more)
{
	HOTPATH_MEASURE();

	__atomic_add_fetch(&exits, 1, __ATOMIC_RELAXED);
	inner();
	if (more > 0)
		exits_thread(more - 1);
	if (more == 0)
		pthread_exit(NULL);
}

__attribute__((noinline)) static void waits_forever(void)
{
	HOTPATH_MEASURE();

	__atomic_add_fetch(&waits, 1, __ATOMIC_RELAXED);
	inner();
	sem_post(&waiting);
	for (;;)
		pause();
}

static void *outer(void *cancelled)
{
	HOTPATH_MEASURE();

	__atomic_add_fetch(&outers, 1, __ATOMIC_RELAXED);
	if (cancelled)
		waits_forever();
	exits_thread(2);
	return NULL;
}

int main(void)
{
	HOTPATH_MAIN();
	uint64_t start = own_clock();
	pthread_t thread;

	sem_init(&waiting, 0, 0);
	for (int i = 0; i < THREADS; i++) {
		pthread_create(&thread, NULL, outer, i % 2 ? &waiting : NULL);
		if (i % 2) {
			sem_wait(&waiting);
			pthread_cancel(thread);
		}
		pthread_join(thread, NULL);
	}
	inner();
	truth("inner", inners);
	truth("exits_thread", exits);
	truth("waits_forever", waits);
	truth("outer", outers);
	truth("@elapsed", own_clock() - start);
	return 0;
}
