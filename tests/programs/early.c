/* SPDX-License-Identifier: MIT */
/*
 * A program whose library is at work before it.
 *
 * usage: early alone|fork|again|raw|wait
 *
 * Each process prints its number and its CPU time in nanoseconds when it ends; one that waits is ended by another.
 */
#include "compute.h"

#include <err.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

void early_work(void);

static void end_well(pid_t child)
{
	int status;

	if (child < 0 || waitpid(child, &status, 0) != child || status)
		errx(2, "no child that ends well");
}

static void alone(void) {}

static void fork_one(void)
{
	pid_t child = fork();

	if (child > 0) {
		end_well(child);
		return;
	}
	early_work();
}

/* The child has one too. */
static void fork_again(void)
{
	pid_t child = fork();

	if (child > 0) {
		end_well(child);
		return;
	}
	early_work();
	fork_one();
}

/* Of such a child the C library knows nothing. */
static void fork_raw(void)
{
	pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (child > 0) {
		end_well(child);
		return;
	}
	early_work();
}

static void wait_for_ever(void)
{
	for (;;)
		pause();
}

static const struct {
	const char *name;
	void (*run)(void);
} ways[] = {
	{ "alone", alone },  { "fork", fork_one },	{ "again", fork_again },
	{ "raw", fork_raw }, { "wait", wait_for_ever },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof(ways) / sizeof(*ways); i++)
		if (strcmp(argv[1], ways[i].name) == 0) {
			early_work();
			ways[i].run();
			tell_used();
			return 0;
		}
	errx(2, "usage: early alone|fork|again|raw|wait");
}
