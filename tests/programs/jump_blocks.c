/* SPDX-License-Identifier: MIT */
/* Leaves two measured blocks of one function in turn by longjmp, more often than calls may be nested. */
#include <hotpath.h>

#include "truth.h"

#include <setjmp.h>

enum {
	ROUNDS = 2200000,
};

static jmp_buf again;
static volatile uint64_t rounds, odds, evens;

__attribute__((noinline)) static void loop(void)
{
	HOTPATH_MEASURE();

	setjmp(again);
	if (rounds++ >= ROUNDS)
		return;
	if (rounds % 2)
		HOTPATH_BLOCK("odd", {
			odds++;
			longjmp(again, 1);
		})
	else
		HOTPATH_BLOCK("even", {
			evens++;
			longjmp(again, 1);
		})
}

int main(void)
{
	HOTPATH_MAIN();
	uint64_t start = own_clock();

	loop();
	truth("odd", odds);
	truth("even", evens);
	truth("loop", 1);
	truth("@jumped_over", odds + evens);
	truth("@elapsed", own_clock() - start);
	return 0;
}
