/* SPDX-License-Identifier: MIT */
/*
 * Coroutines whose measured functions have much on the stack between them: that they are inside each other shows only
 * to who knows which coroutine goes on.
 *
 * usage: coroutine_far [told]     told: the program itself says so, too
 */
#include <hotpath.h>

#include "coroutines.h"
#include "truth.h"

#include <string.h>

enum {
	COROUTINES = 8,
	STEPS = 50,
	FAR = 24 * 1024,
};

static struct coroutine coroutines[COROUTINES];
static char stacks[COROUTINES][COROUTINE_STACK];
static bool told;
static uint64_t steps, leaves;

static void resume(struct coroutine *self)
{
	if (told)
		hotpath_fiber_switch((uintptr_t)self);
	coroutine_resume(self);
}

static void yield(struct coroutine *self)
{
	if (told)
		hotpath_fiber_switch(0);
	coroutine_yield(self);
}

__attribute__((noinline)) static void leaf(void)
{
	HOTPATH_MEASURE();

	leaves++;
	spend(2000);
}

__attribute__((noinline)) static void step(struct coroutine *self)
{
	HOTPATH_MEASURE();
	volatile char far[FAR];

	far[0] = far[FAR - 1] = 0;
	steps++;
	leaf();
	yield(self);
	leaf();
}

static void run(struct coroutine *self)
{
	HOTPATH_MEASURE_AS("worker");
	volatile char far[FAR];

	far[0] = far[FAR - 1] = 0;
	for (int i = 0; i < STEPS; i++)
		step(self);
}

int main(int argc, char **argv)
{
	HOTPATH_MAIN();

	told = argc > 1 && strcmp(argv[1], "told") == 0;
	for (int i = 0; i < COROUTINES; i++)
		coroutine_init(&coroutines[i], stacks[i], run);
	for (int i = 0; i < COROUTINES * (STEPS + 1); i++)
		resume(&coroutines[i % COROUTINES]);
	truth("worker", COROUTINES);
	truth("step", steps);
	truth("leaf", leaves);
	return 0;
}
