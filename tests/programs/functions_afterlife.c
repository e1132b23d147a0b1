/* SPDX-License-Identifier: MIT */
/* Functions before main and after it, in the program and its library, and in threads that are ending. */
#include "functions.h"

#include <pthread.h>
#include <stdlib.h>

enum {
	THREADS = 20,
	ROUNDS = 4,
};

/* Of the library; it tells how often it was called. */
int library_work(void);

static pthread_key_t early_key, late_key;

NOINLINE static void before_main(void)
{
	COUNTED();
}

NOINLINE static void after_main(void)
{
	COUNTED();
}

NOINLINE static void work(void)
{
	COUNTED();
}

/* Runs in every round that there is. */
static void destroy(void *rounds)
{
	COUNTED();
	uintptr_t left = (uintptr_t)rounds;

	if (left > 1)
		pthread_setspecific(left % 2 ? early_key : late_key, (void *)(left - 1));
}

static void at_exit(void)
{
	COUNTED();

	library_work();
}

__attribute__((constructor(101))) static void first(void)
{
	COUNTED();

	before_main();
}

__attribute__((constructor)) static void second(void)
{
	COUNTED();

	before_main();
	pthread_key_create(&early_key, destroy);
	atexit(at_exit);
}

__attribute__((destructor)) static void last_but_one(void)
{
	COUNTED();

	after_main();
}

__attribute__((destructor(101))) HOTPATH_SKIP static void last(void)
{
	after_main();
	truth("library_work", (uint64_t)library_work());
	counted_print(0);
}

static void *thread(void *unused)
{
	COUNTED();

	pthread_setspecific(early_key, (void *)(uintptr_t)ROUNDS);
	pthread_setspecific(late_key, (void *)(uintptr_t)ROUNDS);
	work();
	return unused;
}

int main(void)
{
	COUNTED();

	work();
	pthread_key_create(&late_key, destroy);
	for (int i = 0; i < THREADS; i++) {
		pthread_t id;
		pthread_create(&id, NULL, thread, NULL);
		pthread_join(id, NULL);
	}
	library_work();
	return 0;
}
