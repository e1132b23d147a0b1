/* SPDX-License-Identifier: MIT */
/* Coroutines whose stacks are arrays of main, as in the example of swapcontext(3). */
#include <hotpath.h>

#include "coroutines.h"
#include "truth.h"

enum {
	COROUTINES = 3,
	STEPS = 1000,
};

static struct coroutine coroutines[COROUTINES];
static uint64_t steps, workers;

__attribute__((noinline)) static void step(struct coroutine *self)
{
	HOTPATH_MEASURE();

	steps++;
	coroutine_yield(self);
}

static void worker(struct coroutine *self)
{
	HOTPATH_MEASURE();

	workers++;
	for (int i = 0; i < STEPS; i++)
		step(self);
}

int main(void)
{
	HOTPATH_MAIN();
	uint64_t start = own_clock();
	char stacks[COROUTINES][COROUTINE_STACK];

	for (int i = 0; i < COROUTINES; i++)
		coroutine_init(&coroutines[i], stacks[i], worker);
	for (int i = 0; i < COROUTINES * (STEPS + 1); i++)
		coroutine_resume(&coroutines[i % COROUTINES]);
	HOTPATH_BLOCK("after", { truth("after", 1); })
	truth("worker", workers);
	truth("step", steps);
	truth("@elapsed", own_clock() - start);
	return 0;
}
