/* SPDX-License-Identifier: MIT */
/* A coroutine that leaves measured functions by longjmp, and is the first to measure anything at all. */
#include <hotpath.h>

#include "coroutines.h"
#include "truth.h"

#include <setjmp.h>

enum {
	ROUNDS = 5000,
};

static char stack[COROUTINE_STACK];
static struct coroutine coroutine;
static jmp_buf outside;
static uint64_t dives, normals;

__attribute__((noinline)) static void dive(int more)
{
	HOTPATH_MEASURE();

	dives++;
	if (more > 0)
		dive(more - 1);
	if (more == 0)
		longjmp(outside, 1);
}

__attribute__((noinline)) static void normal(void)
{
	HOTPATH_MEASURE();

	normals++;
}

static void run(struct coroutine *self)
{
	(void)self;
	for (volatile int i = 0; i < ROUNDS; i++) {
		if (!setjmp(outside))
			dive(i % 4);
		normal();
	}
}

/* Many short calls: their cost is taken off this one, and it must not be more than it is. */
__attribute__((noinline)) static uint64_t quick_calls(void)
{
	HOTPATH_MEASURE();
	uint64_t worked = 0;

	for (int i = 0; i < ROUNDS; i++) {
		normal();
		uint64_t start = own_clock();
		spend(200);
		worked += own_clock() - start;
	}
	return worked;
}

int main(void)
{
	uint64_t start = own_clock();

	coroutine_init(&coroutine, stack, run);
	coroutine_resume(&coroutine);
	truth("@worked", quick_calls());
	truth("quick_calls", 1);
	truth("dive", dives);
	truth("normal", normals);
	truth("@elapsed", own_clock() - start);
	return 0;
}
