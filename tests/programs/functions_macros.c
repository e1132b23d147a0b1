/* SPDX-License-Identifier: MIT */
/*
 * Functions that measure themselves, and that the compiler measures too: one row each.
 *
 * usage: functions_macros [start]     start: by hotpath_start and hotpath_stop, in a function that main calls
 */
#include "functions.h"

#include <pthread.h>
#include <stdlib.h>

enum {
	CALLS = 500,
	THREADS = 4,
};

NOINLINE static void plain(void)
{
	COUNTED();
}

NOINLINE static void both(void)
{
	HOTPATH_MEASURE();
	COUNTED();

	plain();
}

INLINED void inlined(void)
{
	HOTPATH_MEASURE();
	COUNTED();
}

NOINLINE static void recursive(int more)
{
	HOTPATH_MEASURE();
	COUNTED();

	if (more)
		recursive(more - 1);
}

/* Some of its calls are measured twice, some by the compiler alone. */
NOINLINE static void sometimes(int i)
{
	COUNTED();

	if (i % 2) {
		HOTPATH_MEASURE();
		plain();
	}
}

NOINLINE static void with_label(void)
{
	COUNTED();

	for (int i = 0; i < 2; i++) {
		HOTPATH_MEASURE_AS("label");
		plain();
	}
}

HOTPATH_SKIP NOINLINE static void skipped(void)
{
	plain();
}

NOINLINE static int returns(int value)
{
	HOTPATH_MEASURE();
	COUNTED();

	HOTPATH_RETURN(value);
}

/* Nothing of its own: the value belongs to the call that the compiler measures. */
NOINLINE static int only_returns(int value)
{
	COUNTED();

	HOTPATH_RETURN(value);
}

static void *work(void *unused)
{
	COUNTED();

	for (int i = 0; i < CALLS; i++) {
		both();
		inlined();
		recursive(3);
		sometimes(i);
		with_label();
		skipped();
		returns(i);
		only_returns(i);
	}
	return unused;
}

HOTPATH_SKIP static void threads(void)
{
	pthread_t ids[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&ids[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(ids[i], NULL);
	work(NULL);
}

HOTPATH_SKIP static void print(uint64_t labels)
{
	truth("label", labels);
	counted_print(0);
}

/* Recording begins when this is open already, and ends before it does. */
NOINLINE static int starts(void)
{
	if (hotpath_start(NULL))
		return 1;
	threads();
	return hotpath_stop() != 0;
}

int main(int argc, char **argv)
{
	int status = 0;

	(void)argv;
	if (argc > 1) {
		status = starts();
		print((uint64_t)2 * CALLS * (THREADS + 1));
		return status;
	}
	HOTPATH_MAIN();
	threads();
	print((uint64_t)2 * CALLS * (THREADS + 1));
	return status;
}
