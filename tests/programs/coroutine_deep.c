/* SPDX-License-Identifier: MIT */
/* A coroutine with more measured calls open than are kept of calls on such stacks. */
#include <hotpath.h>

#include "coroutines.h"
#include "truth.h"

enum { DEPTH = 100, ROUNDS = 200 };

static char stack[COROUTINE_STACK];
static struct coroutine coroutine;

__attribute__((noinline)) static void recurse(unsigned depth)
{
	HOTPATH_MEASURE();

	if (depth > 1)
		recurse(depth - 1);
	else
		spend(1000000);
	__asm__ volatile("");
}

static void run(struct coroutine *self)
{
	(void)self;
	for (int i = 0; i < ROUNDS; i++)
		recurse(DEPTH);
}

int main(void)
{
	HOTPATH_MAIN();

	coroutine_init(&coroutine, stack, run);
	coroutine_resume(&coroutine);
	truth("recurse", DEPTH * ROUNDS);
	return 0;
}
