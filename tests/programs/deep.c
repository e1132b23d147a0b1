/* SPDX-License-Identifier: MIT */
/*
 * Recursion a million deep, by one function and by two in turn.
 *
 * usage: deep main|thread [DEPTH]     on which stack; that of main must be large enough
 */
#include <hotpath.h>

#include "truth.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static uint64_t recursions, evens, odds, depth = 1000000;

__attribute__((noinline)) static void recurse(uint64_t more)
{
	HOTPATH_MEASURE();

	recursions++;
	if (more)
		recurse(more - 1);
}

static void odd(uint64_t more);

__attribute__((noinline)) static void even(uint64_t more)
{
	HOTPATH_MEASURE();

	evens++;
	if (more)
		odd(more - 1);
}

__attribute__((noinline)) static void odd(uint64_t more)
{
	HOTPATH_MEASURE();

	odds++;
	if (more)
		even(more - 1);
}

static void *dive(void *unused)
{
	uint64_t start = own_clock();

	recurse(depth);
	even(depth);
	recurse(10);
	truth("recurse", recursions);
	truth("even", evens);
	truth("odd", odds);
	truth("@elapsed", own_clock() - start);
	return unused;
}

int main(int argc, char **argv)
{
	HOTPATH_MAIN();
	pthread_attr_t attributes;
	pthread_t thread;

	if (argc > 2)
		depth = strtoul(argv[2], NULL, 10);
	if (argc > 1 && strcmp(argv[1], "main") == 0) {
		dive(NULL);
		return 0;
	}
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, (size_t)1 << 30);
	if (pthread_create(&thread, &attributes, dive, NULL))
		return 1;
	return pthread_join(thread, NULL);
}
