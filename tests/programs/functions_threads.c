/* SPDX-License-Identifier: MIT */
/* Threads that start and end all the time: by returning, by pthread_exit, by being cancelled. */
#include "functions.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

enum {
	THREADS = 600,
	AT_ONCE = 8,
	CALLS = 50,
};

static sem_t waiting;

NOINLINE static void inner(void)
{
	COUNTED();
}

NOINLINE static void ends_thread(int more)
{
	COUNTED();

	inner();
	if (more == 0)
		pthread_exit(NULL);
	ends_thread(more - 1);
}

NOINLINE static void is_cancelled(void)
{
	COUNTED();

	inner();
	sem_post(&waiting);
	for (;;)
		pause();
}

static void *body(void *how)
{
	COUNTED();

	for (int i = 0; i < CALLS; i++)
		inner();
	if ((uintptr_t)how % 3 == 1)
		ends_thread(2);
	if ((uintptr_t)how % 3 == 2)
		is_cancelled();
	return NULL;
}

NOINLINE static void batch(uintptr_t first)
{
	COUNTED();
	pthread_t threads[AT_ONCE];

	for (uintptr_t i = 0; i < AT_ONCE; i++)
		if (pthread_create(&threads[i], NULL, body, (void *)(first + i)))
			abort();
	for (uintptr_t i = 0; i < AT_ONCE; i++) {
		if ((first + i) % 3 == 2) {
			sem_wait(&waiting);
			/* Whoever it was that waits: those that are to be cancelled all do. */
		}
	}
	for (uintptr_t i = 0; i < AT_ONCE; i++) {
		if ((first + i) % 3 == 2)
			pthread_cancel(threads[i]);
		pthread_join(threads[i], NULL);
	}
}

int main(void)
{
	COUNTED();
	uint64_t start = own_clock();

	sem_init(&waiting, 0, 0);
	for (uintptr_t i = 0; i < THREADS; i += AT_ONCE)
		batch(i);
	counted_main(start);
	return 0;
}
