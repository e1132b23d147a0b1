/* SPDX-License-Identifier: MIT */
/*
 * Functions of which it is known how long they wait for a lock, and for how long they compute.
 *
 *	compute, sleep	update_stats waits for a lock that find_customer keeps, computing or asleep
 *	free		six threads on one processor; each has a lock of its own
 *	brief		the same, but they share a lock that each keeps for a moment
 *	spin		spins for a lock
 *
 * Lines on standard output: "@wall_ns" and "@lock_ns" of update_stats, by the program's own clock.
 *
 * usage: lock_verdicts compute | sleep | free | brief | spin
 */
#include "compute.h"
#include "truth.h"

#include <err.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	ROUNDS = 40,
	HOLD_MS = 5,
	THREADS = 6,
	MOMENTS = 100,
};

static pthread_mutex_t stats_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t busy_lock;
static sem_t held, taken;
static uint64_t wall_ns, lock_ns;
static bool asleep, spinning;

__attribute__((always_inline)) static inline void acquire(void)
{
	if (spinning)
		pthread_spin_lock(&busy_lock);
	else
		pthread_mutex_lock(&stats_lock);
}

__attribute__((always_inline)) static inline void release(void)
{
	if (spinning)
		pthread_spin_unlock(&busy_lock);
	else
		pthread_mutex_unlock(&stats_lock);
}

__attribute__((noinline)) static void find_customer(void)
{
	HOTPATH_MEASURE();
	const struct timespec time = { 0, HOLD_MS * 1000000L };

	acquire();
	sem_post(&held);
	if (asleep)
		nanosleep(&time, NULL);
	else
		compute(HOLD_MS);
	release();
}

__attribute__((noinline)) static void update_stats(void)
{
	HOTPATH_MEASURE();
	uint64_t start = own_clock();

	acquire();
	uint64_t acquired = own_clock();
	release();
	compute(1);
	lock_ns += acquired - start;
	wall_ns += own_clock() - start;
}

static void *keep(void *unused)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		find_customer();
		while (sem_wait(&taken))
			;
	}
	return unused;
}

static void *want(void *unused)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		while (sem_wait(&held))
			;
		update_stats();
		sem_post(&taken);
	}
	return unused;
}

static void contend(void)
{
	pthread_t keeper, waiter;

	sem_init(&held, 0, 0);
	sem_init(&taken, 0, 0);
	if (pthread_create(&keeper, NULL, keep, NULL) || pthread_create(&waiter, NULL, want, NULL))
		errx(2, "no thread");
	pthread_join(keeper, NULL);
	pthread_join(waiter, NULL);
	truth("@wall_ns", wall_ns);
	truth("@lock_ns", lock_ns);
}

__attribute__((noinline)) static void compute_alone(pthread_mutex_t *lock)
{
	HOTPATH_MEASURE();
	for (unsigned i = 0; i < MOMENTS; i++) {
		pthread_mutex_lock(lock);
		for (volatile int j = 0; j < 1000; j++)
			;
		pthread_mutex_unlock(lock);
		compute(1);
	}
}

static void *work(void *lock)
{
	pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;

	compute_alone(lock ? lock : &own);
	return NULL;
}

static void crowd(pthread_mutex_t *lock)
{
	pthread_t threads[THREADS];
	cpu_set_t all, first;

	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&first);
	for (size_t i = 0; i < CPU_SETSIZE && !CPU_COUNT(&first); i++)
		if (CPU_ISSET(i, &all))
			CPU_SET(i, &first);
	sched_setaffinity(0, sizeof(first), &first);
	for (unsigned i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, lock))
			errx(2, "no thread");
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc == 2 ? argv[1] : "";

	asleep = strcmp(what, "sleep") == 0;
	spinning = strcmp(what, "spin") == 0;
	pthread_spin_init(&busy_lock, PTHREAD_PROCESS_PRIVATE);
	if (asleep || spinning || strcmp(what, "compute") == 0)
		contend();
	else if (strcmp(what, "free") == 0)
		crowd(NULL);
	else if (strcmp(what, "brief") == 0)
		crowd(&stats_lock);
	else
		errx(2, "usage: lock_verdicts compute | sleep | free | brief | spin");
	return 0;
}
