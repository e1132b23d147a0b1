/* SPDX-License-Identifier: MIT */
/* Functions large and small, of which some are left out; what these call is their callers' then. */
#include "functions.h"

#include <setjmp.h>

enum {
	CALLS = 1000,
};

static jmp_buf outside;
static volatile int sum;

NOINLINE static void leaf(void)
{
	COUNTED();

	spend(1000);
}

/* A few instructions. */
NOINLINE int tiny_add(int value)
{
	return value + 1;
}

/* Left by jumps, and recursive: nobody may miss it. */
NOINLINE static void between(int more, int jump)
{
	COUNTED();

	leaf();
	if (jump)
		longjmp(outside, 1);
	if (more)
		between(more - 1, jump);
}

NOINLINE static void around(int jump)
{
	COUNTED();

	between(2, jump);
	sum += tiny_add(1);
}

int main(void)
{
	COUNTED();
	uint64_t start = own_clock();

	for (volatile int i = 0; i < CALLS; i++)
		if (!setjmp(outside))
			around(i % 10 == 0);
	truth("tiny_add", CALLS - CALLS / 10);
	counted_main(start);
	return 0;
}
