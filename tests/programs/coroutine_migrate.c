/* SPDX-License-Identifier: MIT */
/* Coroutines that go on on another thread each time: what begins on one ends on the other. */
#include <hotpath.h>

#include "coroutines.h"
#include "truth.h"

#include <pthread.h>

enum {
	COROUTINES = 6,
	PHASES = 101,
	THREADS = 2,
};

static char stacks[COROUTINES][COROUTINE_STACK];
static struct coroutine coroutines[COROUTINES];
static pthread_barrier_t barrier;
static uint64_t steps, leaves, workers, within, around;

__attribute__((noinline)) static void leaf(void)
{
	HOTPATH_MEASURE();

	__atomic_add_fetch(&leaves, 1, __ATOMIC_RELAXED);
	spend(5000);
}

__attribute__((noinline)) static void step(struct coroutine *self)
{
	HOTPATH_MEASURE();

	__atomic_add_fetch(&steps, 1, __ATOMIC_RELAXED);
	leaf();
	coroutine_yield(self);
	leaf();
}

__attribute__((noinline)) static void worker(struct coroutine *self)
{
	HOTPATH_MEASURE();
	uint64_t start = own_clock();

	__atomic_add_fetch(&workers, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < PHASES; i++)
		step(self);
	__atomic_add_fetch(&within, own_clock() - start, __ATOMIC_RELAXED);
}

static void run(struct coroutine *self)
{
	uint64_t start = own_clock();

	worker(self);
	__atomic_add_fetch(&around, own_clock() - start, __ATOMIC_RELAXED);
}

static void *resume_half(void *thread)
{
	for (int phase = 0; phase <= PHASES; phase++) {
		for (int i = 0; i < COROUTINES; i++)
			if ((i + phase) % THREADS == *(int *)thread)
				coroutine_resume(&coroutines[i]);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

int main(void)
{
	HOTPATH_MAIN();
	uint64_t start = own_clock();
	pthread_t threads[THREADS];
	int numbers[THREADS] = { 0, 1 };

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < COROUTINES; i++)
		coroutine_init(&coroutines[i], stacks[i], run);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, resume_half, &numbers[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	truth("worker", workers);
	truth("step", steps);
	truth("leaf", leaves);
	truth("@detached", steps + (PHASES % 2 ? workers : 0));
	truth("@within", within);
	truth("@around", around);
	truth("@elapsed", own_clock() - start);
	return 0;
}
