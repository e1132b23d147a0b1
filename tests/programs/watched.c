/* SPDX-License-Identifier: MIT */
/*
 * A program that is watched, and does what it is told: a line each, answered by "done".
 *
 *	work N        every thread calls every function N times
 *	slow N        have calls take longer: N times a thousand turns of a loop
 *	functions N   have so many functions
 *	threads N     have so many threads besides the first
 *	load FILE     open a library, and call its function
 *	again         stop recording, and start anew
 *	become FILE   execute another program
 *	child         have a child that measures nothing, and print its process id
 *
 * Between two lines no call is in progress.
 */
#include <hotpath.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	MOST = 600,
};

static struct hotpath_site sites[MOST];
static char names[MOST][16];
static int functions = 1, threads, calls, slow;
static pthread_barrier_t begin, end;

static void call_all(void)
{
	for (int function = 0; function < functions; function++)
		for (int i = 0; i < calls + function % 3; i++) {
			struct hotpath_span span;
			hotpath_span_begin(&span, &sites[function]);
			for (volatile int turns = i % 50 * (function + 1) + slow * 1000; turns > 0;
			     turns--)
				;
			hotpath_span_end(&span);
		}
}

static void *work(void *unused)
{
	for (;;) {
		pthread_barrier_wait(&begin);
		call_all();
		pthread_barrier_wait(&end);
	}
	return unused;
}

/* Threads are never fewer; all wait where they get new barriers. */
static void make_threads(int wanted)
{
	static int made;
	pthread_t thread;

	if (made)
		exit(2);
	made = threads = wanted;
	pthread_barrier_init(&begin, NULL, (unsigned)wanted + 1);
	pthread_barrier_init(&end, NULL, (unsigned)wanted + 1);
	for (int i = 0; i < wanted; i++)
		if (pthread_create(&thread, NULL, work, NULL))
			exit(2);
}

static void work_once(int wanted)
{
	calls = wanted;
	if (threads)
		pthread_barrier_wait(&begin);
	call_all();
	if (threads)
		pthread_barrier_wait(&end);
}

static void load_library(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	void (*function)(void) = NULL;

	if (library)
		*(void **)&function = dlsym(library, "plugin_work");
	if (!function)
		exit(2);
	function();
}

static void have_child(void)
{
	pid_t child = fork();

	if (child == 0)
		for (;;)
			pause();
	printf("%d ", (int)child);
}

static void obey(const char *command, const char *argument)
{
	if (strcmp(command, "work") == 0)
		work_once((int)strtol(argument, NULL, 10));
	else if (strcmp(command, "functions") == 0)
		functions = (int)strtol(argument, NULL, 10);
	else if (strcmp(command, "slow") == 0)
		slow = (int)strtol(argument, NULL, 10);
	else if (strcmp(command, "threads") == 0)
		make_threads((int)strtol(argument, NULL, 10));
	else if (strcmp(command, "load") == 0)
		load_library(argument);
	else if (strcmp(command, "again") == 0)
		hotpath_stop(), hotpath_start(NULL);
	else if (strcmp(command, "become") == 0)
		execl(argument, argument, (char *)NULL);
	else if (strcmp(command, "child") == 0)
		have_child();
}

int main(void)
{
	char line[512], command[16], argument[480];

	for (int i = 0; i < MOST; i++) {
		snprintf(names[i], sizeof(names[i]), "function_%d", i);
		sites[i] = (struct hotpath_site){ .name = names[i],
						  .file = "watched.c",
						  .line = 1 + (unsigned)i,
						  .kind = HOTPATH_SITE_FUNCTION };
	}
	hotpath_start(NULL);
	while (fgets(line, sizeof(line), stdin)) {
		argument[0] = '\0';
		if (sscanf(line, "%15s %479s", command, argument) > 0)
			obey(command, argument);
		puts("done");
		fflush(stdout);
	}
	return 0;
}
