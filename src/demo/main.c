/* SPDX-License-Identifier: MIT */
/* The program that `hotpath demo` looks at: a shop, open until a signal closes it. */
#include "shop.h"

#include <hotpath.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	BOOKS_SECONDS = 2,
	THREAD_NAME_SIZE = 16,
	LINE_SIZE = 8192,
};

static char *thread_name(const char *what, unsigned number)
{
	char *name = malloc(THREAD_NAME_SIZE);

	if (name)
		snprintf(name, THREAD_NAME_SIZE, "%s-%u", what, number);
	return name;
}

/* A thread that cannot be started is just missing. */
static void start_thread(void *(*run)(void *), char *name)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, name) == 0)
		pthread_detach(thread);
	else
		free(name);
}

static void open_shop(void)
{
	HOTPATH_MEASURE();

	catalogue_write();
	counter_open();
	start_thread(door_run, NULL);
	for (unsigned i = 1; i <= CLERKS; i++)
		start_thread(clerk_run, thread_name("clerk", i));
}

/* Until one of the signals comes. */
static void stay_open(const sigset_t *closing)
{
	const struct timespec pause = { .tv_sec = BOOKS_SECONDS };

	for (unsigned i = 1; sigtimedwait(closing, NULL, &pause) < 0; i++)
		start_thread(books_run, thread_name("books", i));
}

/* Find our own segment among our mappings, by its name, and remove it. */
static void remove_segment(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char name[64], line[LINE_SIZE];

	snprintf(name, sizeof(name), "/hotpath-%d-", (int)getpid());
	while (maps && fgets(line, sizeof(line), maps)) {
		char *path = strchr(line, '/');
		line[strcspn(line, "\n")] = '\0';
		if (path && strstr(path, name))
			unlink(path);
	}
	if (maps)
		fclose(maps);
}

/* Block the signals from the start, so that none ends us before we have cleaned up. */
static sigset_t block_closing(void)
{
	sigset_t closing;

	sigemptyset(&closing);
	sigaddset(&closing, SIGTERM);
	sigaddset(&closing, SIGINT);
	sigaddset(&closing, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &closing, NULL);
	return closing;
}

/* The argument is the process id of the tool, which removes our segment; if it is gone, we do. */
int main(int argc, char **argv)
{
	const sigset_t closing = block_closing();
	HOTPATH_MAIN();

	open_shop();
	stay_open(&closing);
	if (argc > 1 && getppid() != (pid_t)strtol(argv[1], NULL, 10))
		remove_segment();
	return 0;
}
