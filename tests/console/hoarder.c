/* SPDX-License-Identifier: MIT */
/*
 * A program that nobody changed: it allocates through wrappers, of which one is well known and one its own, keeps some of the
 * blocks, and goes on until it is told to end, by SIGTERM. It says when it has begun.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define APART static __attribute__((noinline))

static volatile sig_atomic_t ending;
/* Stores to this variable keep a call from being a tail call, so that the frame stays. */
static void *volatile kept;

static void end(int number)
{
	ending = number;
}

APART void *xmalloc(size_t size)
{
	void *block = malloc(size);

	if (!block)
		abort();
	kept = block;
	return block;
}

APART void *pool_take(size_t size)
{
	void *block = malloc(size);

	kept = block;
	return block;
}

APART void load_config(void)
{
	for (int i = 0; i < 10; i++)
		kept = xmalloc(2000);
}

APART void fill_cache(void)
{
	for (int i = 0; i < 5; i++)
		kept = pool_take(1000);
}

APART void answer(void)
{
	void *block = xmalloc(100);

	kept = NULL;
	free(block);
}

int main(void)
{
	static const struct timespec pause = { 0, 1000000 };

	signal(SIGTERM, end);
	load_config();
	fill_cache();
	puts("begun");
	fflush(stdout);
	while (!ending) {
		answer();
		nanosleep(&pause, NULL);
	}
	return 0;
}
