/* SPDX-License-Identifier: MIT */
/*
 * Functions that are too short to be timed, and others that are not. It prints how often each was called.
 *
 * usage: sleds_governed ROUNDS [again]     with `again`, the short function takes long in the second half
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

enum {
	/* Calls of the short function in each round, and steps of work of the long one. */
	SHORT_CALLS = 20000,
	LONG_STEPS = 200000,
};

static volatile unsigned sum;
static unsigned long short_calls, long_calls;

NOINLINE static void short_one(unsigned steps)
{
	short_calls++;
	for (unsigned i = 0; i < steps; i++)
		sum += i;
}

NOINLINE static void long_one(void)
{
	long_calls++;
	for (unsigned i = 0; i < LONG_STEPS; i++)
		sum += i;
}

NOINLINE static void one_round(unsigned calls, unsigned steps)
{
	for (unsigned i = 0; i < calls; i++)
		short_one(steps);
	long_one();
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 100;
	int changes = argc > 2 && strcmp(argv[2], "again") == 0 ? rounds / 2 : rounds;

	for (int i = 0; i < rounds; i++)
		one_round(i < changes ? SHORT_CALLS : 1, i < changes ? 1 : LONG_STEPS);
	printf("short_one %lu\nlong_one %lu\none_round %d\nmain 1\n", short_calls, long_calls,
	       rounds);
	return 0;
}
