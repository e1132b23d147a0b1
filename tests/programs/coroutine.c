/* SPDX-License-Identifier: MIT */
/*
 * Coroutines on stacks side by side, each with measured functions that are open while others run.
 *
 * usage: coroutine main|thread|near     on which thread; near: on one whose stack is beside theirs
 */
#include <hotpath.h>

#include "coroutines.h"
#include "truth.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

enum {
	COROUTINES = 8,
	STEPS = 100,
};

static struct coroutine coroutines[COROUTINES];
static uint64_t steps, leaves, within, around;

__attribute__((noinline)) static void leaf(void)
{
	HOTPATH_MEASURE();

	leaves++;
	spend(2000);
}

__attribute__((noinline)) static void step(struct coroutine *self)
{
	HOTPATH_MEASURE();

	steps++;
	leaf();
	coroutine_yield(self);
	leaf();
}

__attribute__((noinline)) static void worker(struct coroutine *self)
{
	HOTPATH_MEASURE();
	uint64_t start = own_clock();

	for (int i = 0; i < STEPS; i++)
		step(self);
	within += own_clock() - start;
}

static void run(struct coroutine *self)
{
	uint64_t start = own_clock();

	worker(self);
	around += own_clock() - start;
}

static void *schedule(void *stacks)
{
	HOTPATH_MEASURE();

	/* From the highest down: each begins below others that are open. */
	for (int i = 0; i < COROUTINES; i++)
		coroutine_init(&coroutines[COROUTINES - 1 - i],
			       (char *)stacks + i * COROUTINE_STACK, run);
	for (int i = 0; i < COROUTINES * (STEPS + 1); i++)
		coroutine_resume(&coroutines[i % COROUTINES]);
	return NULL;
}

int main(int argc, char **argv)
{
	HOTPATH_MAIN();
	uint64_t start = own_clock();
	const char *where = argc > 1 ? argv[1] : "main";
	size_t size = COROUTINES * COROUTINE_STACK, own = 256 * 1024;
	char *stacks = mmap(NULL, size + own, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	if (strcmp(where, "near") == 0)
		pthread_attr_setstack(&attributes, stacks + size, own);
	if (strcmp(where, "main") == 0) {
		schedule(stacks);
	} else {
		pthread_create(&thread, &attributes, schedule, stacks);
		pthread_join(thread, NULL);
	}
	truth("worker", COROUTINES);
	truth("step", steps);
	truth("leaf", leaves);
	truth("schedule", 1);
	truth("@within", within);
	truth("@around", around);
	truth("@elapsed", own_clock() - start);
	return 0;
}
