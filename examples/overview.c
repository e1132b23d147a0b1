/* SPDX-License-Identifier: MIT */
/* An overview: a function that computes, one that allocates and one that sleeps. Which one is slow, and why? */
#include <hotpath.h>

#include <err.h>

#include "own_clock.h"

enum {
	ROUNDS = 1000,
	ITERATIONS = 20000,
	BUFFER_SIZE = 1024,
	SLEEP_NS = 1000000,
};

/* Keeps the compiler from leaving out what nobody looks at: somebody might, in here. */
static inline void black_box(const void *value)
{
	__asm__ volatile("" : : "r"(value) : "memory");
}

static void sync_work(void)
{
	HOTPATH_MEASURE();
	uint64_t result = 1;

	for (uint64_t i = 0; i < ITERATIONS; i++) {
		result *= i + 7;
		result ^= result >> 3;
		black_box(&result);
	}
}

static void sync_alloc(void)
{
	HOTPATH_MEASURE();
	char *buffer = malloc(BUFFER_SIZE);

	if (!buffer)
		err(1, "malloc");
	memset(buffer, 1, BUFFER_SIZE);
	black_box(buffer);
	free(buffer);
}

static void sync_sleep(void)
{
	HOTPATH_MEASURE();
	const struct timespec time = { .tv_nsec = SLEEP_NS };

	nanosleep(&time, NULL);
}

static void work(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		OWN_CLOCK("sync_work", sync_work());
		OWN_CLOCK("sync_alloc", sync_alloc());
		OWN_CLOCK("sync_sleep", sync_sleep());
	}
}

int main(void)
{
	HOTPATH_MAIN();

	OWN_CLOCK("main", work());
	return 0;
}
