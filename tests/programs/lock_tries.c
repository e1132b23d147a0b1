/* SPDX-License-Identifier: MIT */
/*
 * A thread that wants a lock which another one keeps for a while, and does not sleep meanwhile.
 *
 *	try		spin_for tries it until it is free
 *	lock		spin_for waits for a spin lock
 *	poll		work_on computes, and tries it once in a millisecond: that is no spinning
 *	own		keep_lock tries it itself, to see that it holds it: nor is that
 *
 * Lines on standard output: "@refused", the tries that failed; and "@want_ns", how long the lock was wanted.
 *
 * usage: lock_tries try | lock | poll | own
 */
#include "compute.h"
#include "truth.h"

#include <err.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <string.h>

enum { KEPT_MS = 400, ASKED = 3000000 };

static pthread_mutex_t stats_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t busy_lock;
static sem_t held;
static uint64_t refused, want_ns;
static bool spins, asks;
static void (*want)(void);

__attribute__((noinline)) static void keep_lock(void)
{
	HOTPATH_MEASURE();
	const struct timespec time = { 0, KEPT_MS * 1000000L };

	if (spins)
		pthread_spin_lock(&busy_lock);
	else
		pthread_mutex_lock(&stats_lock);
	sem_post(&held);
	for (unsigned i = 0; asks && i < ASKED; i++)
		refused += pthread_mutex_trylock(&stats_lock) != 0;
	if (!asks)
		nanosleep(&time, NULL);
	if (spins)
		pthread_spin_unlock(&busy_lock);
	else
		pthread_mutex_unlock(&stats_lock);
}

__attribute__((noinline)) static void spin_for(void)
{
	HOTPATH_MEASURE();
	if (spins) {
		pthread_spin_lock(&busy_lock);
		pthread_spin_unlock(&busy_lock);
		return;
	}
	while (pthread_mutex_trylock(&stats_lock))
		refused++;
	pthread_mutex_unlock(&stats_lock);
}

__attribute__((noinline)) static void work_on(void)
{
	HOTPATH_MEASURE();
	while (pthread_mutex_trylock(&stats_lock)) {
		refused++;
		compute(1);
	}
	pthread_mutex_unlock(&stats_lock);
}

static void leave_alone(void) {}

static void *keeper(void *unused)
{
	keep_lock();
	return unused;
}

static void *wanter(void *unused)
{
	while (sem_wait(&held))
		;
	uint64_t start = own_clock();
	want();
	want_ns = own_clock() - start;
	return unused;
}

int main(int argc, char **argv)
{
	const char *what = argc == 2 ? argv[1] : "";
	pthread_t threads[2];

	spins = strcmp(what, "lock") == 0;
	asks = strcmp(what, "own") == 0;
	want = strcmp(what, "poll") == 0 ? work_on : asks ? leave_alone : spin_for;
	if (!spins && want == spin_for && strcmp(what, "try") != 0)
		errx(2, "usage: lock_tries try | lock | poll | own");
	pthread_spin_init(&busy_lock, PTHREAD_PROCESS_PRIVATE);
	sem_init(&held, 0, 0);
	if (pthread_create(&threads[0], NULL, keeper, NULL) ||
	    pthread_create(&threads[1], NULL, wanter, NULL))
		errx(2, "no thread");
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	truth("@refused", refused);
	truth("@want_ns", want_ns);
	return 0;
}
