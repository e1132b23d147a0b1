/* SPDX-License-Identifier: MIT */
/* Threads that interrupt each other with two signals, whose handlers interrupt one another and measure. */
#include <hotpath.h>

#include "truth.h"

#include <pthread.h>
#include <signal.h>

enum {
	THREADS = 4,
	CALLS = 20000,
};

static pthread_t threads[THREADS];
static pthread_barrier_t barrier;
static uint64_t calls, first, second;

__attribute__((noinline)) static void shared(uint64_t *count)
{
	HOTPATH_MEASURE();

	__atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
}

static void handler(int number)
{
	shared(number == SIGUSR1 ? &first : &second);
}

static void *run(void *argument)
{
	pthread_t *next = argument;

	pthread_barrier_wait(&barrier);
	for (int i = 0; i < CALLS; i++) {
		shared(&calls);
		if (i % 4 == 0)
			pthread_kill(*next, i % 8 ? SIGUSR1 : SIGUSR2);
	}
	pthread_barrier_wait(&barrier);
	return NULL;
}

int main(void)
{
	HOTPATH_MAIN();
	uint64_t start = own_clock();
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	pthread_barrier_init(&barrier, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, &threads[(i + 1) % THREADS]);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	truth("@shared", calls + first + second);
	truth("@handled", first + second);
	truth("@elapsed", own_clock() - start);
	return 0;
}
