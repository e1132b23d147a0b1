/* SPDX-License-Identifier: MIT */
/*
 * Calls whose tree is known: by one way and by two, of itself, of each other, and on other threads.
 *
 *	main                 a and c call b; recursive calls itself, even and odd call each other
 *	├─ a ── b
 *	├─ c ── b            worker ── b      twice, each on a thread of its own
 *	├─ recursive
 *	└─ even ── odd ── even      and odd again, which is where it was called by even before
 *
 * With the argument "killed" it dies in the midst of main, a and b.
 */
#include "hotpath.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 2 };

static int killed;

static void b(void)
{
	HOTPATH_MEASURE();
	if (killed)
		kill(getpid(), SIGKILL);
}

static void repeat_b(int times)
{
	for (int i = 0; i < times; i++)
		b();
}

static void a(void)
{
	HOTPATH_MEASURE();
	repeat_b(2);
}

static void c(void)
{
	HOTPATH_MEASURE();
	repeat_b(5);
}

static int recursive(int depth)
{
	HOTPATH_MEASURE();
	return depth ? recursive(depth - 1) + 1 : 0;
}

static int odd(int number);

static int even(int number)
{
	HOTPATH_MEASURE();
	return number ? odd(number - 1) : 1;
}

static int odd(int number)
{
	HOTPATH_MEASURE();
	return number ? even(number - 1) : 0;
}

static void *worker(void *unused)
{
	HOTPATH_MEASURE();
	repeat_b(10);
	return unused;
}

static void run_threads(void)
{
	pthread_t threads[THREADS];
	int started = 0;

	while (started < THREADS && !pthread_create(&threads[started], NULL, worker, NULL))
		started++;
	while (started--)
		pthread_join(threads[started], NULL);
}

int main(int argc, char **argv)
{
	HOTPATH_MAIN();
	for (int i = 0; i < 2; i++)
		c();
	run_threads();
	killed = argc > 1 && strcmp(argv[1], "killed") == 0;
	for (int i = 0; i < 3; i++)
		a();
	return recursive(4) == 4 && even(4) ? 0 : 1;
}
