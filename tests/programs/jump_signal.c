/* SPDX-License-Identifier: MIT */
/* Leaves measured functions by siglongjmp out of a signal handler that measures itself. */
#include <hotpath.h>

#include "truth.h"

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	ROUNDS = 5000,
};

static sigjmp_buf outside;
static volatile uint64_t handled, raisers, afters, rounds;

static void handler(int number)
{
	HOTPATH_MEASURE();

	(void)number;
	handled++;
	siglongjmp(outside, 1);
}

__attribute__((noinline)) static void raiser(int more)
{
	HOTPATH_MEASURE();

	raisers++;
	if (more)
		raiser(more - 1);
	else
		raise(SIGUSR1);
	raisers++;
}

__attribute__((noinline)) static void after(void)
{
	HOTPATH_MEASURE();

	afters++;
}

__attribute__((noinline)) static void one_round(void)
{
	HOTPATH_MEASURE();

	rounds++;
	if (!sigsetjmp(outside, 1))
		raiser(2);
	after();
}

int main(int argc, char **argv)
{
	HOTPATH_MAIN();
	uint64_t start = own_clock();
	bool other_stack = argc > 1 && strcmp(argv[1], "other-stack") == 0;
	struct sigaction action = { .sa_handler = handler,
				    .sa_flags = other_stack ? SA_ONSTACK : 0 };
	stack_t stack = { .ss_sp = malloc(65536), .ss_size = 65536 };

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < ROUNDS; i++)
		one_round();
	truth("handler", handled);
	truth("raiser", raisers);
	truth("after", afters);
	truth("one_round", rounds);
	truth("@jumped_over", handled + raisers);
	truth("@elapsed", own_clock() - start);
	return 0;
}
