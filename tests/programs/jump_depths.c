/* SPDX-License-Identifier: MIT */
/* Leaves measured functions by longjmp, from one to five of them at once, thousands of times. */
#include <hotpath.h>

#include "truth.h"

#include <setjmp.h>

enum {
	DEPTHS = 5,
	ROUNDS = 5000,
};

static jmp_buf outside;
static uint64_t dives, leaves, normals;

__attribute__((noinline)) static void dive(int more)
{
	HOTPATH_MEASURE();
	volatile char frame[64] = { 0 };

	dives++;
	if (more > 0)
		dive(more - 1);
	if (more == 0)
		longjmp(outside, 1);
	frame[0]++;
}

__attribute__((noinline)) static void leaf(void)
{
	HOTPATH_MEASURE();

	leaves++;
	if (leaves % 2)
		longjmp(outside, 1);
}

__attribute__((noinline)) static void normal(void)
{
	HOTPATH_MEASURE();

	normals++;
}

__attribute__((noinline)) static void round_of_jumps(void)
{
	HOTPATH_MEASURE();

	for (volatile int depth = 0; depth < DEPTHS; depth++) {
		if (!setjmp(outside))
			dive(depth);
		normal();
	}
	for (volatile int i = 0; i < 2; i++)
		if (!setjmp(outside))
			leaf();
	if (!setjmp(outside))
		normal();
}

int main(void)
{
	HOTPATH_MAIN();
	uint64_t start = own_clock();

	for (int i = 0; i < ROUNDS; i++)
		round_of_jumps();
	truth("dive", dives);
	truth("leaf", leaves);
	truth("normal", normals);
	truth("round_of_jumps", ROUNDS);
	truth("@jumped_over", dives + leaves / 2);
	truth("@elapsed", own_clock() - start);
	return 0;
}
