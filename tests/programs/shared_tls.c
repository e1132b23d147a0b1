/* SPDX-License-Identifier: MIT */
/*
 * Tasks that the kernel knows as several, and the C library as one thread: made by clone with the memory of their
 * maker, and its thread-local variables. All measure at the same time.
 *
 * usage: shared_tls heap|local|thread|turns      where their stacks are; or one after the other
 */
#include <hotpath.h>

#include "truth.h"

#include <err.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum {
	TASKS = 3,
	TURNS = 200,
	CALLS = 30000,
	STACK = 64 * 1024,
};

static volatile uint64_t calls[TASKS + 1], started;

__attribute__((noinline)) static void inner(volatile uint64_t *count)
{
	HOTPATH_MEASURE();

	++*count;
}

__attribute__((noinline)) static void outer(volatile uint64_t *count)
{
	HOTPATH_MEASURE();

	inner(count);
	inner(count);
}

static int run(void *count)
{
	__atomic_add_fetch(&started, 1, __ATOMIC_SEQ_CST);
	for (int i = 0; i < CALLS; i++)
		outer(count);
	return 0;
}

static int run_once(void *count)
{
	outer(count);
	return 0;
}

static pid_t begin(int (*what)(void *), char *stack, volatile uint64_t *count)
{
	pid_t task = clone(what, stack + STACK, CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD,
			   (void *)(uintptr_t)count);

	if (task < 0)
		err(2, "clone");
	return task;
}

static void end(pid_t task)
{
	int status;

	if (waitpid(task, &status, 0) != task || status)
		errx(1, "a task ended with %d", status);
}

static void *all_at_once(void *memory)
{
	char *stacks = memory;
	pid_t tasks[TASKS];

	outer(&calls[TASKS]);
	for (int i = 0; i < TASKS; i++)
		tasks[i] = begin(run, stacks + (size_t)i * STACK, &calls[i]);
	while (started < TASKS)
		outer(&calls[TASKS]);
	run((void *)(uintptr_t)&calls[TASKS]);
	for (int i = 0; i < TASKS; i++)
		end(tasks[i]);
	outer(&calls[TASKS]);
	return NULL;
}

static void in_turns(char *stack)
{
	for (int i = 0; i < TURNS; i++) {
		end(begin(run_once, stack, &calls[0]));
		outer(&calls[TASKS]);
	}
}

int main(int argc, char **argv)
{
	HOTPATH_MAIN();
	const char *where = argc > 1 ? argv[1] : "heap";
	char local[TASKS * STACK], *heap = malloc(sizeof(local));
	pthread_t thread;
	uint64_t all = 0;

	if (strcmp(where, "thread") == 0) {
		if (pthread_create(&thread, NULL, all_at_once, heap) || pthread_join(thread, NULL))
			errx(2, "no thread");
	} else if (strcmp(where, "turns") == 0) {
		in_turns(heap);
	} else {
		all_at_once(strcmp(where, "local") == 0 ? local : heap);
	}
	for (int i = 0; i <= TASKS; i++)
		all += calls[i];
	truth("inner", all);
	truth("outer", all / 2);
	return 0;
}
