/* SPDX-License-Identifier: MIT */
/*
 * A program that ends in some way, on its main thread or on another, while main waits in a measured function.
 *
 * usage: ends main|exit|shutdown|quick|_exit|kill
 *        ends stop FIRST SECOND
 *
 * Prints how long main was open, in nanoseconds, just before it ends. With stop there are two sessions, whose reports go
 * to these files: the first begins on the main thread and ends on another, the second the other way round.
 */
#include <hotpath.h>

#include "compute.h"
#include "truth.h"

#include <err.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { MILLISECONDS = 150 };

static long long began;
static const char *way;

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void tell_elapsed(void)
{
	printf("@elapsed %lld\n", now_ns() - began);
	fflush(stdout);
}

__attribute__((noinline)) static void works(void)
{
	HOTPATH_MEASURE();

	compute(MILLISECONDS);
}

__attribute__((noinline)) static void waits(pthread_t other)
{
	HOTPATH_MEASURE();

	pthread_join(other, NULL);
	for (;;)
		pause();
}

static void end(void)
{
	if (strcmp(way, "exit") == 0)
		exit(0);
	tell_elapsed();
	if (strcmp(way, "quick") == 0)
		quick_exit(0);
	if (strcmp(way, "_exit") == 0)
		_exit(0);
	raise(SIGKILL);
}

static void *other_thread(void *unused)
{
	works();
	if (strcmp(way, "shutdown") != 0)
		end();
	return unused;
}

static void end_somehow(void)
{
	HOTPATH_MAIN();
	pthread_t other;

	began = now_ns();
	atexit(tell_elapsed);
	if (strcmp(way, "main") == 0) {
		works();
		exit(0);
	}
	if (pthread_create(&other, NULL, other_thread, NULL))
		errx(2, "no thread");
	waits(other);
}

/* ---- sessions ---- */

static pthread_barrier_t barrier;

static void start(const char *path)
{
	struct hotpath_options options = HOTPATH_OPTIONS_INIT;

	options.format = HOTPATH_FORMAT_JSON;
	options.output_path = path;
	began = now_ns();
	if (hotpath_start(&options))
		exit(2);
}

static void stop(const char *fact)
{
	hotpath_stop();
	printf("@%s %lld\n", fact, now_ns() - began);
}

static void *other_sessions(void *second)
{
	pthread_barrier_wait(&barrier);
	stop("first");
	start(second);
	pthread_barrier_wait(&barrier);
	return NULL;
}

static void two_sessions(const char *first, char *second)
{
	pthread_t other;

	pthread_barrier_init(&barrier, NULL, 2);
	start(first);
	if (pthread_create(&other, NULL, other_sessions, second))
		errx(2, "no thread");
	works();
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	works();
	stop("second");
	pthread_join(other, NULL);
}

int main(int argc, char **argv)
{
	way = argc > 1 ? argv[1] : "";
	if (argc == 2)
		end_somehow();
	if (argc != 4)
		errx(2,
		     "usage: ends main|exit|shutdown|quick|_exit|kill, or ends stop FIRST SECOND");
	two_sessions(argv[2], argv[3]);
	return 0;
}
