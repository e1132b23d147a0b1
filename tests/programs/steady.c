/* SPDX-License-Identifier: MIT */
/*
 * A program under a steady load, which changes its behaviour when it is told to: a line each, answered by "done".
 *
 *	parse N    from now on, a call of parse() takes N milliseconds; so for look_up and store
 *	pause N    each thread pauses for N milliseconds after each round
 *	idle       no thread calls anything until the next line
 *
 * Functions take 50 ms at first. They sleep rather than compute: how long that takes hardly depends on what else the machine does.
 */
#include <hotpath.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { THREADS = 6 };

static atomic_int parse_ms = 50, look_up_ms = 50, store_ms = 50, pause_ms;
static atomic_bool is_idle;

static void take(int ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&time, NULL);
}

__attribute__((noinline)) static void parse(void)
{
	HOTPATH_MEASURE();
	take(parse_ms);
}

__attribute__((noinline)) static void look_up(void)
{
	HOTPATH_MEASURE();
	take(look_up_ms);
}

__attribute__((noinline)) static void store(void)
{
	HOTPATH_MEASURE();
	take(store_ms);
}

__attribute__((noinline)) static void serve(void)
{
	HOTPATH_MEASURE();
	parse();
	look_up();
	store();
}

static void *work(void *unused)
{
	for (;;) {
		if (!is_idle)
			serve();
		take(is_idle ? 1 : pause_ms);
	}
	return unused;
}

static void obey(const char *command, int ms)
{
	is_idle = strcmp(command, "idle") == 0;
	if (strcmp(command, "parse") == 0)
		parse_ms = ms;
	else if (strcmp(command, "look_up") == 0)
		look_up_ms = ms;
	else if (strcmp(command, "store") == 0)
		store_ms = ms;
	else if (strcmp(command, "pause") == 0)
		pause_ms = ms;
}

int main(void)
{
	char line[64], command[16], argument[16];
	pthread_t thread;

	hotpath_start(NULL);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, work, NULL))
			return 2;
	while (fgets(line, sizeof(line), stdin)) {
		argument[0] = '\0';
		if (sscanf(line, "%15s %15s", command, argument) > 0)
			obey(command, (int)strtol(argument, NULL, 10));
		puts("done");
		fflush(stdout);
	}
	return 0;
}
