/* SPDX-License-Identifier: MIT */
/*
 * Recursion a million deep, of one function, of two and of three in turn, and with a value to return.
 *
 * usage: functions_deep main|thread     on which stack; that of main must be large enough
 */
#include "functions.h"

#include <pthread.h>
#include <string.h>

enum {
	DEEP = 1000000,
};

static volatile int nothing;

NOINLINE static void recurse(int more)
{
	COUNTED();

	if (more)
		recurse(more - 1);
}

NOINLINE static int add_up(int more)
{
	COUNTED();

	return more ? add_up(more - 1) + nothing : 1;
}

static void odd(int more);

NOINLINE static void even(int more)
{
	COUNTED();

	if (more)
		odd(more - 1);
}

NOINLINE static void odd(int more)
{
	COUNTED();

	if (more)
		even(more - 1);
}

static void third(int more);

NOINLINE static void second(int more)
{
	COUNTED();

	third(more);
}

NOINLINE static void first(int more)
{
	COUNTED();

	second(more);
}

NOINLINE static void third(int more)
{
	COUNTED();

	if (more)
		first(more - 1);
}

static void *dive(void *unused)
{
	COUNTED();

	recurse(DEEP);
	add_up(DEEP);
	even(DEEP);
	recurse(10);
	first(DEEP / 3);
	return unused;
}

static int on_thread(void)
{
	COUNTED();
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, (size_t)1 << 30);
	return pthread_create(&thread, &attributes, dive, NULL) || pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	COUNTED();
	uint64_t start = own_clock();
	int failed = 0;

	if (argc > 1 && strcmp(argv[1], "main") == 0)
		dive(NULL);
	else
		failed = on_thread();
	counted_main(start);
	return failed;
}
