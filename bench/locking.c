/* SPDX-License-Identifier: MIT */
/*
 * The cost of a lock with the probe, which was preloaded, and without: the C library's own functions, asked for by name.
 * They take turns. Prints the time in nanoseconds with the probe, and the ratio to the other: medians both.
 *
 *	locking free THREADS   each thread has a lock of its own; compared with what the probe cannot do without: a try,
 *	                       two readings of the clock, and the release
 *	locking contended      two threads and one lock, which each holds for 200 ns; compared with the bare functions
 */
#include "clock.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 20000, ROUNDS = 101, THREADS_MAX = 2 };

typedef int (*lock_function)(pthread_mutex_t *mutex);

static lock_function bare_lock, bare_trylock, bare_unlock;

struct work {
	void (*pairs)(pthread_mutex_t *mutex);
	pthread_mutex_t *mutex;
	pthread_barrier_t *barrier;
	double ns;
};

static struct {
	_Alignas(256) pthread_mutex_t mutex;
} mutexes[THREADS_MAX];

static void seen(pthread_mutex_t *mutex)
{
	for (int i = 0; i < PAIRS; i++) {
		pthread_mutex_lock(mutex);
		pthread_mutex_unlock(mutex);
	}
}

static void least(pthread_mutex_t *mutex)
{
	for (int i = 0; i < PAIRS; i++) {
		bare_trylock(mutex);
		uint64_t since = ticks();
		uint64_t held = ticks() - since;
		bare_unlock(mutex);
		__asm__ volatile("" : : "r"(held));
	}
}

static void hold(void)
{
	for (volatile int i = 0; i < 100; i++)
		;
}

static void seen_contended(pthread_mutex_t *mutex)
{
	for (int i = 0; i < PAIRS; i++) {
		pthread_mutex_lock(mutex);
		hold();
		pthread_mutex_unlock(mutex);
	}
}

static void bare_contended(pthread_mutex_t *mutex)
{
	for (int i = 0; i < PAIRS; i++) {
		bare_lock(mutex);
		hold();
		bare_unlock(mutex);
	}
}

static void *run(void *data)
{
	struct work *work = data;

	pthread_barrier_wait(work->barrier);
	double start = now_ns();
	work->pairs(work->mutex);
	work->ns = (now_ns() - start) / PAIRS;
	return NULL;
}

/* The mean of all threads. */
static double round_ns(void (*pairs)(pthread_mutex_t *), int count, int locks)
{
	struct work work[THREADS_MAX];
	pthread_t threads[THREADS_MAX];
	pthread_barrier_t barrier;
	double sum = 0;

	pthread_barrier_init(&barrier, NULL, (unsigned)count);
	for (int i = 0; i < count; i++) {
		work[i] = (struct work){ pairs, &mutexes[i % locks].mutex, &barrier, 0 };
		pthread_create(&threads[i], NULL, run, &work[i]);
	}
	for (int i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
		sum += work[i].ns;
	}
	pthread_barrier_destroy(&barrier);
	return sum / count;
}

static void look_up(void *libc, const char *name, lock_function *function)
{
	void *found = dlsym(libc, name);

	if (!found)
		exit(1);
	memcpy(function, &found, sizeof(found));
}

static int compare(const void *a, const void *b)
{
	double first = *(const double *)a, second = *(const double *)b;

	return first < second ? -1 : first > second;
}

int main(int argc, char **argv)
{
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	int is_contended = argc > 1 && strcmp(argv[1], "contended") == 0;
	int count = !is_contended && argc > 2 && atoi(argv[2]) == 1 ? 1 : 2;
	double with[ROUNDS], ratios[ROUNDS];

	look_up(libc, "pthread_mutex_lock", &bare_lock);
	look_up(libc, "pthread_mutex_trylock", &bare_trylock);
	look_up(libc, "pthread_mutex_unlock", &bare_unlock);
	for (int i = 0; i < ROUNDS; i++) {
		int locks = is_contended ? 1 : count;
		with[i] = round_ns(is_contended ? seen_contended : seen, count, locks);
		ratios[i] = with[i] / round_ns(is_contended ? bare_contended : least, count, locks);
	}
	qsort(with, ROUNDS, sizeof(*with), compare);
	qsort(ratios, ROUNDS, sizeof(*ratios), compare);
	printf("%f %f\n", with[ROUNDS / 2], ratios[ROUNDS / 2]);
	return 0;
}
