/* SPDX-License-Identifier: MIT */
/*
 * A lock of the program's own make, which it tells of: how often it was acquired, how long it was waited for and held.
 *
 * usage: own_locks THREADS ROUNDS
 */
#include "truth.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

enum { THREADS_MAX = 8, HOLD_NS = 200000 };

/* As a lock server might: who comes gets a ticket, and waits for its number. */
static struct {
	uint32_t next;
	uint32_t served;
	struct hotpath_lock told;
} counter;

static int rounds;
static uint64_t wait_ns, hold_ns, waits;

static __attribute__((noinline)) bool acquire(void)
{
	uint32_t ticket = __atomic_fetch_add(&counter.next, 1, __ATOMIC_RELAXED);
	bool is_free = __atomic_load_n(&counter.served, __ATOMIC_ACQUIRE) == ticket;

	if (!is_free)
		HOTPATH_LOCK_WAIT(&counter.told);
	while (__atomic_load_n(&counter.served, __ATOMIC_ACQUIRE) != ticket)
		sched_yield();
	HOTPATH_LOCK_HELD(&counter.told);
	return !is_free;
}

static __attribute__((noinline)) void release(void)
{
	__atomic_fetch_add(&counter.served, 1, __ATOMIC_RELEASE);
	HOTPATH_LOCK_FREED(&counter.told);
}

static __attribute__((noinline)) void serve(void)
{
	HOTPATH_MEASURE();
	uint64_t before = own_clock();
	bool waited = acquire();
	uint64_t since = own_clock();

	waits += waited;
	wait_ns += waited ? since - before : 0;
	spend(HOLD_NS);
	hold_ns += own_clock() - since;
	release();
}

static void *work(void *unused)
{
	for (int i = 0; i < rounds; i++)
		serve();
	return unused;
}

int main(int argc, char **argv)
{
	HOTPATH_MAIN();
	pthread_t threads[THREADS_MAX];
	int count = argc > 2 ? atoi(argv[1]) : 2;

	rounds = argc > 2 ? atoi(argv[2]) : 10;
	if (count < 1 || count > THREADS_MAX)
		return 2;
	HOTPATH_LOCK_NEW(&counter.told, "counter");
	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	truth("@acquired", (uint64_t)count * (uint64_t)rounds);
	truth("@waits", waits);
	truth("@wait_ns", wait_ns);
	truth("@hold_ns", hold_ns);
	return 0;
}
