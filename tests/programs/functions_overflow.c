/* SPDX-License-Identifier: MIT */
/*
 * Recursion without end, again and again: a handler on a stack of its own notices, and jumps out.
 *
 * usage: functions_overflow ROUNDS
 */
#include "functions.h"

#include <alloca.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

static sigjmp_buf outside;
static char other_stack[64 * 1024];
static volatile int sum;

NOINLINE static void noticed(void)
{
	COUNTED();
}

static void handler(int number)
{
	COUNTED();

	(void)number;
	noticed();
	siglongjmp(outside, 1);
}

/* The stack ends at another place of the function each time. */
NOINLINE static int endless(int size)
{
	COUNTED();
	volatile char *room = alloca((size_t)size);

	room[0] = 1;
	return endless(size) + room[0];
}

NOINLINE static void after(int more)
{
	COUNTED();

	if (more)
		after(more - 1);
}

NOINLINE static void one_round(int number)
{
	COUNTED();

	if (!sigsetjmp(outside, 1))
		sum += endless(16 + 16 * number);
	after(3);
}

int main(int argc, char **argv)
{
	COUNTED();
	uint64_t start = own_clock();
	stack_t stack = { .ss_sp = other_stack, .ss_size = sizeof(other_stack) };
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;

	sigaltstack(&stack, NULL);
	sigaction(SIGSEGV, &action, NULL);
	for (unsigned long i = 0; i < rounds; i++)
		one_round((int)i);
	counted_main(start);
	return 0;
}
