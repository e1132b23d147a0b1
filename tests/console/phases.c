/* SPDX-License-Identifier: MIT */
/*
 * A program that knows nothing of the profiler: it computes in one function until SIGUSR1, then in another, and ends by
 * SIGTERM. It says when it has begun.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static volatile sig_atomic_t phase = 1;
static volatile unsigned result;

static void change(int number)
{
	phase = number == SIGUSR1 ? 2 : 0;
}

__attribute__((noinline)) static void mix(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		result += i * 2654435761U;
}

__attribute__((noinline)) static void compute_first(void)
{
	for (unsigned i = 0; i < 100000; i++)
		result ^= i;
}

__attribute__((noinline)) static void compute_second(void)
{
	mix(100000); /* the line of the call */
	result++;
}

int main(void)
{
	void *kept = malloc(12345);

	signal(SIGUSR1, change);
	signal(SIGTERM, change);
	puts("begun");
	fflush(stdout);
	while (phase == 1)
		compute_first();
	while (phase == 2)
		compute_second();
	free(kept);
	return 0;
}
