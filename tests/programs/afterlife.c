/* SPDX-License-Identifier: MIT */
/*
 * Measures where there is no main yet, where it is over, and in threads that are ending.
 *
 * usage: afterlife [many-keys]     many-keys: more thread-specific data than the C library keeps at hand
 */
#include <hotpath.h>

#include "truth.h"

#include <pthread.h>
#include <stdlib.h>

enum {
	THREADS = 20,
	ROUNDS = 4,
	MANY = 64,
};

static pthread_key_t early_key, late_key;
static uint64_t calls_before, afters, destructors, works, exits;

__attribute__((noinline)) static void before_main(void)
{
	HOTPATH_MEASURE();
	calls_before++;
}

__attribute__((noinline)) static void after_main(void)
{
	HOTPATH_MEASURE();
	afters++;
}

__attribute__((noinline)) static void work(void)
{
	HOTPATH_MEASURE();
	__atomic_add_fetch(&works, 1, __ATOMIC_RELAXED);
}

/* Runs in every round that there is. */
static void destructor(void *rounds)
{
	HOTPATH_MEASURE();
	uintptr_t left = (uintptr_t)rounds;

	__atomic_add_fetch(&destructors, 1, __ATOMIC_RELAXED);
	if (left > 1)
		pthread_setspecific(left % 2 ? early_key : late_key, (void *)(left - 1));
}

static void at_exit(void)
{
	HOTPATH_MEASURE();
	exits++;
}

__attribute__((constructor(101))) static void first(void)
{
	before_main();
}

__attribute__((constructor)) static void second(void)
{
	before_main();
	pthread_key_create(&early_key, destructor);
	atexit(at_exit);
}

__attribute__((destructor)) static void last_but_one(void)
{
	after_main();
}

__attribute__((destructor(101))) static void last(void)
{
	after_main();
	truth("before_main", calls_before);
	truth("after_main", afters);
	truth("work", works);
	truth("destructor", destructors);
	truth("at_exit", exits);
	fflush(stdout);
}

static void *thread(void *unused)
{
	pthread_setspecific(early_key, (void *)(uintptr_t)ROUNDS);
	pthread_setspecific(late_key, (void *)(uintptr_t)ROUNDS);
	work();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_key_t key;

	(void)argv;
	for (int i = 0; argc > 1 && i < MANY; i++)
		pthread_key_create(&key, NULL);
	work();
	pthread_key_create(&late_key, destructor);
	for (int i = 0; i < THREADS; i++) {
		pthread_t id;
		pthread_create(&id, NULL, thread, NULL);
		pthread_join(id, NULL);
	}
	return 0;
}
