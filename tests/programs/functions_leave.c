/* SPDX-License-Identifier: MIT */
/*
 * Functions that end in every way but the plain one: by a tail call, not at all, with the program.
 *
 * usage: functions_leave return|exit|_exit|quick_exit|abort|thread
 */
#include "functions.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
	CALLS = 1000,
};

static volatile int sum;
static const char *way;

NOINLINE static void last(void)
{
	COUNTED_HERE();
	sum++;
}

/* Calls whose value is their own: one jump for both where the compiler wants. */
NOINLINE static int sibling_end(int value)
{
	COUNTED_HERE();
	return value + sum;
}

NOINLINE static int sibling(int value)
{
	COUNTED_HERE();
	return sibling_end(value + 1);
}

/* By way of a variable, so that it is no loop. */
static void (*volatile again)(int more);

NOINLINE static void tail(int more)
{
	COUNTED_HERE();
	if (more)
		again(more - 1);
	else
		last();
}

/* The hooks are not to be seen. */
NOINLINE static int keeps_errno(int value)
{
	COUNTED_HERE();
	errno = value;
	return errno;
}

NOINLINE static double keeps_values(double a, float b, long long c)
{
	COUNTED_HERE();
	return a + (double)b + (double)c;
}

HOTPATH_SKIP static void check(int i)
{
	errno = i + 1;
	last();
	if (errno != i + 1 || keeps_errno(i) != i || errno != i)
		abort();
	if (keeps_values(i, 0.5F, -i) != 0.5)
		abort();
}

__attribute__((noreturn)) NOINLINE static void leave(int more)
{
	COUNTED_HERE();
	if (more)
		leave(more - 1);
	counted_print(0);
	if (strcmp(way, "exit") == 0)
		exit(0);
	if (strcmp(way, "_exit") == 0)
		_exit(0);
	if (strcmp(way, "quick_exit") == 0)
		quick_exit(0);
	abort();
}

/* Its thread never comes back, and the program ends around it. */
static void *wait_forever(void *barrier)
{
	COUNTED_HERE();
	last();
	pthread_barrier_wait(barrier);
	for (;;)
		pause();
	return NULL;
}

NOINLINE static void leave_thread_behind(void)
{
	COUNTED_HERE();
	pthread_barrier_t barrier;
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, wait_forever, &barrier);
	pthread_barrier_wait(&barrier);
	counted_print(0);
	_exit(0);
}

int main(int argc, char **argv)
{
	COUNTED_HERE();
	way = argc > 1 ? argv[1] : "return";
	again = tail;
	for (int i = 0; i < CALLS; i++) {
		sum += sibling(i);
		tail(3);
		check(i);
	}
	if (strcmp(way, "thread") == 0)
		leave_thread_behind();
	if (strcmp(way, "return") != 0)
		leave(3);
	counted_print(0);
	return 0;
}
