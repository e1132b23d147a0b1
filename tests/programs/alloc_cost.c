/* SPDX-License-Identifier: MIT */
/*
 * Functions that allocate, and know by their own clock how long they took.
 *
 * usage: alloc_cost PAIRS
 *
 * Each of the two functions allocates and frees so many blocks, and the outer one calls the inner one. Prints JSON: the
 * nanoseconds of both and of main, each with all that is inside, and the CPU time of the process.
 */
#include "compute.h"

#include <hotpath.h>

#include <stdlib.h>
#include <time.h>

static unsigned long pairs;

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void allocate(void)
{
	for (unsigned long i = 0; i < pairs; i++) {
		void *block = malloc(64);
		__asm__ volatile("" : : "r"(block) : "memory");
		free(block);
	}
}

__attribute__((noinline)) static void inner(void)
{
	HOTPATH_MEASURE();
	allocate();
}

__attribute__((noinline)) static long long outer(void)
{
	HOTPATH_MEASURE();
	long long start = now_ns();

	inner();
	long long took = now_ns() - start;
	allocate();
	return took;
}

int main(int argc, char **argv)
{
	HOTPATH_MAIN();
	long long start = now_ns();

	pairs = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	long long took_inner = outer();
	long long took_outer = now_ns() - start;
	allocate();
	printf("{\"inner\": %lld, \"outer\": %lld, \"main\": %lld, \"cpu\": %lld}\n", took_inner,
	       took_outer, now_ns() - start, used_ns());
	return 0;
}
