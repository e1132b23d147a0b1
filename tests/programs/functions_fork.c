/* SPDX-License-Identifier: MIT */
/*
 * Forks in the midst of measured functions, and starts programs in every other way.
 *
 * usage: functions_fork fork|_exit|vfork|spawn|exec|leaf
 *	leaf: is what the others start
 */
#include "functions.h"

#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;
static const char *self;

NOINLINE static void inner(void)
{
	COUNTED();
}

HOTPATH_SKIP static void inners(int count)
{
	while (count--)
		inner();
}

HOTPATH_SKIP static pid_t fork_and_forget(void)
{
	pid_t pid = fork();

	if (pid == 0)
		counted_forget();
	return pid;
}

/* The children come back from here too: only the parent's call is one. */
NOINLINE static pid_t outer(void)
{
	COUNTED();

	inners(100);
	pid_t pid = fork_and_forget();
	inners(pid ? 10 : 1000);
	if (pid == 0 && fork_and_forget() == 0)
		inners(70);
	return pid;
}

/* In a child that shares our memory, its calls are ours. */
NOINLINE static void start_from_child(char **arguments)
{
	COUNTED();

	inners(2);
	execv(self, arguments);
	_exit(1);
}

NOINLINE static void start_program(const char *way)
{
	COUNTED();
	char *arguments[] = { (char *)self, (char *)"leaf", NULL };
	pid_t pid = 0;

	inners(30);
	if (strcmp(way, "spawn") == 0) {
		if (posix_spawn(&pid, self, NULL, NULL, arguments, environ))
			abort();
		return;
	}
	if (strcmp(way, "exec") == 0) {
		counted_process();
		execv(self, arguments);
	}
	pid = vfork();
	if (pid == 0)
		start_from_child(arguments);
	inners(7);
}

HOTPATH_SKIP static void wait_all(void)
{
	while (wait(NULL) > 0)
		;
}

HOTPATH_SKIP static void forks(const char *way)
{
	pid_t parent = getpid();

	outer();
	wait_all();
	inners(3);
	if (getpid() == parent)
		return;
	counted_process();
	if (strcmp(way, "_exit") == 0)
		_exit(0);
	exit(0);
}

int main(int argc, char **argv)
{
	COUNTED();
	const char *way = argc > 1 ? argv[1] : "fork";

	self = argv[0];
	inners(5);
	if (strcmp(way, "fork") == 0 || strcmp(way, "_exit") == 0)
		forks(way);
	else if (strcmp(way, "leaf") != 0)
		start_program(way);
	wait_all();
	counted_process();
	return 0;
}
