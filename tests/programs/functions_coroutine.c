/* SPDX-License-Identifier: MIT */
/*
 * Functions on other stacks: of coroutines in turn, deep in one, deep in a signal handler.
 *
 * usage: functions_coroutine turns|local|wide|deep|deep-signal|jump
 *	wide: functions with much on the stack
 *	local: the coroutines' stacks are a part of the thread's own
 */
#include "functions.h"

#include "coroutines.h"

#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum {
	COROUTINES = 8,
	STEPS = 100,
	DEEP = 200,
	WIDE = 20000,
	ROUNDS = 20,
};

static struct coroutine coroutines[COROUTINES];
static char elsewhere[COROUTINES][COROUTINE_STACK];
static jmp_buf outside;
static volatile int sum;

NOINLINE static void leaf(void)
{
	COUNTED();
}

NOINLINE static int step(struct coroutine *self)
{
	COUNTED();

	leaf();
	coroutine_yield(self);
	leaf();
	return 1;
}

NOINLINE static void worker(struct coroutine *self)
{
	COUNTED();

	for (int i = 0; i < STEPS; i++)
		sum += step(self);
}

NOINLINE static void dive(int more)
{
	COUNTED();

	if (more)
		dive(more - 1);
	leaf();
}

NOINLINE static int dive_for_value(int more)
{
	COUNTED();

	return more ? dive_for_value(more - 1) + sum : 1;
}

NOINLINE static void diver(struct coroutine *self)
{
	COUNTED();

	(void)self;
	dive(DEEP);
	sum += dive_for_value(DEEP);
}

NOINLINE static void wide(void)
{
	COUNTED();
	volatile char room[WIDE];

	room[0] = 1;
	leaf();
}

/* Its room is made when it has begun. */
NOINLINE static int wide_later(int size)
{
	COUNTED();
	volatile char *room = alloca((size_t)size);

	room[size - 1] = 1;
	leaf();
	return room[size - 1];
}

NOINLINE static void widener(struct coroutine *self)
{
	COUNTED();

	for (int i = 0; i < STEPS; i++) {
		wide();
		sum += wide_later(WIDE);
		coroutine_yield(self);
	}
}

NOINLINE static void jump_at(int more)
{
	COUNTED();

	if (more == 0)
		longjmp(outside, 1);
	jump_at(more - 1);
	sum++;
}

/* Within one stack. */
NOINLINE static void jumper(struct coroutine *self)
{
	COUNTED();

	(void)self;
	for (volatile int i = 0; i < 10; i++) {
		if (!setjmp(outside))
			jump_at(3);
		leaf();
	}
}

NOINLINE static void turns(void (*run)(struct coroutine *), char (*stacks)[COROUTINE_STACK])
{
	COUNTED();

	for (int i = 0; i < COROUTINES; i++)
		coroutine_init(&coroutines[i], stacks[i], run);
	for (int i = 0; i < COROUTINES * (STEPS + 1); i++) {
		coroutine_resume(&coroutines[i % COROUTINES]);
		leaf();
	}
}

NOINLINE static void local(void)
{
	COUNTED();
	char stacks[COROUTINES][COROUTINE_STACK];

	turns(worker, stacks);
}

static void handler(int number)
{
	COUNTED();

	(void)number;
	dive(DEEP);
	sum += dive_for_value(DEEP);
}

NOINLINE static void signals(void)
{
	COUNTED();
	stack_t stack = { .ss_sp = elsewhere[0], .ss_size = COROUTINE_STACK };
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < ROUNDS; i++)
		raise(SIGUSR1);
}

int main(int argc, char **argv)
{
	COUNTED();
	uint64_t start = own_clock();
	const char *way = argc > 1 ? argv[1] : "turns";

	if (strcmp(way, "turns") == 0)
		turns(worker, elsewhere);
	else if (strcmp(way, "local") == 0)
		local();
	else if (strcmp(way, "wide") == 0)
		turns(widener, elsewhere);
	else if (strcmp(way, "deep") == 0)
		turns(diver, elsewhere);
	else if (strcmp(way, "jump") == 0)
		turns(jumper, elsewhere);
	else
		signals();
	counted_main(start);
	return 0;
}
