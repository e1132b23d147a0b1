/* SPDX-License-Identifier: MIT */
/*
 * The cost of a lock, or of a call of write, with the probe of waits, which was preloaded, and without: the C library's own
 * functions, asked for by name. They take turns. Prints the time in nanoseconds with the probe, and the ratio to the other:
 * medians both.
 *
 *	waiting free THREADS      each thread has a lock of its own; compared with what the probe cannot do without: a try,
 *	                          two readings of the clock, and the release
 *	waiting nohold THREADS    the same without hold times, and so without readings of the clock
 *	waiting contended 2       two threads and one lock, which each holds for 200 ns; compared with the bare functions
 *	waiting write THREADS     one byte to /dev/null; compared with the bare function and two readings of the clock
 */
#include "clock.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAIRS = 20000, ROUNDS = 101, THREADS_MAX = 2 };

typedef int (*lock_function)(pthread_mutex_t *mutex);

static lock_function bare_lock, bare_trylock, bare_unlock;
static ssize_t (*bare_write)(int fd, const void *bytes, size_t size);
static int nowhere;

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

static void least_without_clock(pthread_mutex_t *mutex)
{
	for (int i = 0; i < PAIRS; i++) {
		bare_trylock(mutex);
		bare_unlock(mutex);
	}
}

static void seen_write(pthread_mutex_t *unused)
{
	(void)unused;
	for (int i = 0; i < PAIRS; i++)
		if (write(nowhere, "", 1) != 1)
			abort();
}

static void least_write(pthread_mutex_t *unused)
{
	(void)unused;
	for (int i = 0; i < PAIRS; i++) {
		uint64_t since = ticks();
		if (bare_write(nowhere, "", 1) != 1)
			abort();
		uint64_t took = ticks_after() - since;
		__asm__ volatile("" : : "r"(took));
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

static void look_up(void *libc, const char *name, void *function)
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

static const struct mode {
	const char *name;
	void (*seen)(pthread_mutex_t *mutex);
	void (*bare)(pthread_mutex_t *mutex);
	int shares_lock;
} modes[] = { { "free", seen, least, 0 },
	      { "nohold", seen, least_without_clock, 0 },
	      { "contended", seen_contended, bare_contended, 1 },
	      { "write", seen_write, least_write, 0 } };

static const struct mode *find_mode(const char *name)
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (strcmp(modes[i].name, name) == 0)
			return &modes[i];
	exit(2);
}

int main(int argc, char **argv)
{
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	const struct mode *mode = find_mode(argc > 1 ? argv[1] : "");
	int count = argc > 2 && atoi(argv[2]) == 1 ? 1 : 2;
	double with[ROUNDS], ratios[ROUNDS];

	nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

	look_up(libc, "pthread_mutex_lock", &bare_lock);
	look_up(libc, "pthread_mutex_trylock", &bare_trylock);
	look_up(libc, "pthread_mutex_unlock", &bare_unlock);
	look_up(libc, "write", &bare_write);
	for (int i = 0; i < ROUNDS; i++) {
		int locks = mode->shares_lock ? 1 : count;
		with[i] = round_ns(mode->seen, count, locks);
		ratios[i] = with[i] / round_ns(mode->bare, count, locks);
	}
	qsort(with, ROUNDS, sizeof(*with), compare);
	qsort(ratios, ROUNDS, sizeof(*ratios), compare);
	printf("%f %f\n", with[ROUNDS / 2], ratios[ROUNDS / 2]);
	return 0;
}
