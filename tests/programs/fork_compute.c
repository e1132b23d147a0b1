/* SPDX-License-Identifier: MIT */
/*
 * Processes that compute, and come into being in every way there is.
 *
 * usage: fork_compute prefork|thread|exec|vfork|spawn|compute
 *
 * Each process prints its number and its CPU time in nanoseconds, as the kernel counts it, when it ends. The first
 * one fails if a child does not end as it was meant to.
 */
#include "compute.h"

#include <err.h>
#include <pthread.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { CHILDREN = 3, MILLISECONDS = 200 };

extern char **environ;
static char *self;

static void end_with(pid_t child, int wanted)
{
	int status;

	if (child < 0 || waitpid(child, &status, 0) != child)
		err(2, "no child");
	if (status != wanted)
		errx(2, "a child ends with %#x, not %#x", (unsigned)status, (unsigned)wanted);
}

/* Without an end of its own, a process is as if it were killed. */
static void compute_and_leave(int status)
{
	compute(MILLISECONDS);
	tell_used();
	if (status % 2)
		exit(status);
	_exit(status);
}

static void fork_one(int status)
{
	pid_t child = fork();

	if (child == 0)
		compute_and_leave(status);
	end_with(child, status << 8);
}

static void prefork(void)
{
	pid_t children[CHILDREN];

	for (int i = 0; i < CHILDREN; i++) {
		children[i] = fork();
		if (children[i] == 0)
			compute_and_leave(i);
	}
	for (int i = 0; i < CHILDREN; i++)
		end_with(children[i], i << 8);
}

static void *fork_in_thread(void *unused)
{
	compute(MILLISECONDS);
	fork_one(4);
	fork_one(5);
	return unused;
}

static void thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, fork_in_thread, NULL))
		errx(2, "no thread");
	pthread_join(thread, NULL);
}

static char *const *arguments(void)
{
	static char compute_alone[] = "compute", *list[] = { NULL, compute_alone, NULL };

	list[0] = self;
	return list;
}

/* The child computes before it becomes another program, which counts as CPU time of the process. */
static void other_program(void)
{
	pid_t child = fork();

	if (child == 0) {
		compute(10);
		execv("/proc/self/exe", arguments());
		_exit(127);
	}
	end_with(child, 3 << 8);
}

static void by_vfork(void)
{
	char *const *list = arguments();
	pid_t child = vfork();

	if (child == 0) {
		execv("/proc/self/exe", list);
		_exit(127);
	}
	end_with(child, 3 << 8);
}

static void spawn(void)
{
	pid_t child;

	if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments(), environ))
		errx(2, "posix_spawn");
	end_with(child, 3 << 8);
}

static void alone(void)
{
	compute_and_leave(3);
}

static const struct {
	const char *name;
	void (*run)(void);
} ways[] = {
	{ "prefork", prefork }, { "thread", thread }, { "exec", other_program },
	{ "vfork", by_vfork },	{ "spawn", spawn },   { "compute", alone },
};

int main(int argc, char **argv)
{
	self = argv[0];
	for (size_t i = 0; argc == 2 && i < sizeof(ways) / sizeof(*ways); i++)
		if (strcmp(argv[1], ways[i].name) == 0) {
			compute(MILLISECONDS);
			ways[i].run();
			tell_used();
			return 0;
		}
	errx(2, "usage: fork_compute prefork|thread|exec|vfork|spawn|compute");
}
