/* SPDX-License-Identifier: MIT */
/*
 * How long threads wait for a lock and hold it, by stamps of the program's own.
 *
 * usage: lock_times mutex|c11|write|read|spin|condition THREADS ROUNDS
 */
#include "truth.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

/* A hold is long beside what recording it takes when a thread was just woken and the caches are cold. */
enum { THREADS_MAX = 64, HOLD_NS = 1000000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static mtx_t c11;

static void lock_mutex(void)
{
	pthread_mutex_lock(&mutex);
}
static void unlock_mutex(void)
{
	pthread_mutex_unlock(&mutex);
}
static void lock_c11(void)
{
	mtx_lock(&c11);
}
static void unlock_c11(void)
{
	mtx_unlock(&c11);
}
static void lock_write(void)
{
	pthread_rwlock_wrlock(&rwlock);
}
static void lock_read(void)
{
	pthread_rwlock_rdlock(&rwlock);
}
static void unlock_shared(void)
{
	pthread_rwlock_unlock(&rwlock);
}
static void lock_spin(void)
{
	pthread_spin_lock(&spin);
}
static void unlock_spin(void)
{
	pthread_spin_unlock(&spin);
}

static const struct kind {
	const char *name;
	void (*lock)(void);
	void (*unlock)(void);
} kinds[] = {
	{ "mutex", lock_mutex, unlock_mutex },	{ "c11", lock_c11, unlock_c11 },
	{ "write", lock_write, unlock_shared }, { "read", lock_read, unlock_shared },
	{ "spin", lock_spin, unlock_spin },	{ "condition", lock_mutex, unlock_mutex },
};

static const struct kind *kind;
static bool with_condition;
static int rounds;
static sem_t warm;
static pthread_barrier_t all;

struct sums {
	uint64_t wait_ns;
	uint64_t hold_ns;
};

/* Wait for a condition that does not come: the lock is not held meanwhile. */
static void wait_for_condition(struct sums *sums, uint64_t *since)
{
	struct timespec until;

	sums->hold_ns += own_clock() - *since;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 300000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_cond_timedwait(&condition, &mutex, &until);
	*since = own_clock();
	spend(HOLD_NS);
}

static void *work(void *data)
{
	const struct timespec pause = { 0, HOLD_NS / 4 };
	struct sums *sums = data;

	/* Recording begins with the first lock, of the process and of a thread. That is no wait for the lock. */
	kind->lock();
	kind->unlock();
	sem_post(&warm);
	pthread_barrier_wait(&all);
	for (int i = 0; i < rounds; i++) {
		uint64_t before = own_clock();
		kind->lock();
		uint64_t since = own_clock();
		sums->wait_ns += since - before;
		spend(HOLD_NS);
		if (with_condition)
			wait_for_condition(sums, &since);
		sums->hold_ns += own_clock() - since;
		kind->unlock();
		/* Others have the lock when this thread comes back. */
		nanosleep(&pause, NULL);
	}
	return NULL;
}

static void choose(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcmp(kinds[i].name, name) == 0)
			kind = &kinds[i];
	with_condition = strcmp(name, "condition") == 0;
}

int main(int argc, char **argv)
{
	static struct sums sums[THREADS_MAX];
	pthread_t threads[THREADS_MAX];
	int count = argc > 3 ? atoi(argv[2]) : 0;
	uint64_t wait = 0, hold = 0;

	if (count < 1 || count > THREADS_MAX)
		return 2;
	choose(argv[1]);
	rounds = atoi(argv[3]);
	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	mtx_init(&c11, mtx_plain);
	sem_init(&warm, 0, 0);
	pthread_barrier_init(&all, NULL, (unsigned)count);
	for (int i = 0; i < count; i++) {
		pthread_create(&threads[i], NULL, work, &sums[i]);
		sem_wait(&warm);
	}
	for (int i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
		wait += sums[i].wait_ns;
		hold += sums[i].hold_ns;
	}
	truth("@acquired", (uint64_t)count * (1 + (uint64_t)rounds * (with_condition ? 2 : 1)));
	truth("@wait_ns", wait);
	truth("@hold_ns", hold);
	return 0;
}
