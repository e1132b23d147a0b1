/* SPDX-License-Identifier: MIT */
/*
 * Has a function called before recording ends, which says so, and sets and measures something.
 *
 * usage: hook return|stop|exit|thread|shutdown|again|none|fork|never|late
 */
#include <hotpath.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void last_words(void)
{
	HOTPATH_MEASURE();
	HOTPATH_VAL("last words", "goodbye");
	fputs("hook\n", stdout);
	fflush(stdout);
}

static void at_end(void)
{
	fputs("atexit\n", stdout);
	fflush(stdout);
}

static void *leave(void *unused)
{
	(void)unused;
	exit(0);
}

static void leave_on_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, leave, NULL);
	for (;;)
		pause();
}

/* The child's own end is not the parent's. */
static void fork_and_wait(void)
{
	pid_t child = fork();

	if (child == 0) {
		HOTPATH_BLOCK("child", { (void)getpid(); });
		exit(0);
	}
	waitpid(child, NULL, 0);
}

static void again(void)
{
	hotpath_start(NULL);
	hotpath_before_stop(last_words);
	hotpath_stop();
	hotpath_stop();
	hotpath_start(NULL);
	hotpath_stop();
	hotpath_start(NULL);
	hotpath_before_stop(last_words);
	hotpath_stop();
}

static int run(const char *how)
{
	HOTPATH_MAIN();

	hotpath_before_stop(last_words);
	if (strcmp(how, "stop") == 0)
		hotpath_stop();
	if (strcmp(how, "exit") == 0)
		exit(0);
	if (strcmp(how, "thread") == 0)
		leave_on_thread();
	if (strcmp(how, "shutdown") == 0)
		for (;;)
			pause();
	if (strcmp(how, "none") == 0)
		hotpath_before_stop(NULL);
	if (strcmp(how, "fork") == 0)
		fork_and_wait();
	return 0;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "return";

	atexit(at_end);
	if (strcmp(how, "again") == 0) {
		again();
		return 0;
	}
	/* Nobody starts recording, or long after it was asked for. */
	if (strcmp(how, "never") == 0 || strcmp(how, "late") == 0)
		hotpath_before_stop(last_words);
	return strcmp(how, "never") == 0 ? 0 : run(how);
}
