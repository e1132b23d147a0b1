/* SPDX-License-Identifier: MIT */
/* Leaves functions by longjmp: deep ones, inlined ones, inner calls of the same function. */
#include "functions.h"

#include <alloca.h>
#include <setjmp.h>
#include <signal.h>

enum {
	ROUNDS = 300,
	DEPTHS = 5,
};

static jmp_buf outside, outer_call;
static sigjmp_buf before_signal;
static volatile int sum;

NOINLINE static void dive(int more)
{
	COUNTED();

	if (more == 0)
		longjmp(outside, 1);
	dive(more - 1);
	sum++;
}

NOINLINE static int dive_for_value(int more)
{
	COUNTED();

	if (more == 0)
		longjmp(outside, 1);
	return dive_for_value(more - 1) + sum;
}

NOINLINE static void normal(void)
{
	COUNTED();

	sum++;
}

/* Begins lower than whatever was left just now. */
NOINLINE static void large(void)
{
	COUNTED();
	volatile char room[1000];

	room[0] = 1;
	sum += room[0];
}

NOINLINE static void depths(void)
{
	COUNTED();

	for (volatile int depth = 0; depth < DEPTHS; depth++) {
		if (!setjmp(outside))
			dive(depth);
		for (int i = 0; i < 3; i++)
			large();
		normal();
		if (!setjmp(outside))
			sum += dive_for_value(depth);
		large();
		large();
		normal();
	}
}

INLINED void inlined_leaf(int jump)
{
	COUNTED();

	if (jump)
		longjmp(outside, 1);
}

INLINED int inlined_value(int jump)
{
	COUNTED();

	if (jump)
		longjmp(outside, 1);
	return jump;
}

INLINED void inlined_outer(int jump)
{
	COUNTED();

	inlined_leaf(jump);
	sum += inlined_value(!jump);
}

/* Jumps out of two at once, or returns from both, at the same places again and again. */
NOINLINE static void inlined(void)
{
	COUNTED();

	for (volatile int i = 0; i < 4; i++)
		if (!setjmp(outside))
			inlined_outer(i % 2);
	for (volatile int i = 0; i < 6; i++) {
		if (setjmp(outside))
			continue;
		if (i % 3 == 0)
			inlined_leaf(1);
		else if (i % 3 == 1)
			sum += inlined_value(1);
		else
			inlined_leaf(0);
	}
	normal();
}

/* To the outer one of two calls of the same function: its own exit is the next thing heard of. */
NOINLINE static void recursive(int depth, int jump_at, int back_to)
{
	COUNTED();

	if (depth == jump_at)
		longjmp(outer_call, 1);
	if (depth != back_to)
		recursive(depth + 1, jump_at, back_to);
	else if (!setjmp(outer_call))
		recursive(depth + 1, jump_at, back_to);
}

NOINLINE static int recursive_value(int depth, int jump_at, int back_to)
{
	COUNTED();

	if (depth == jump_at)
		longjmp(outer_call, 1);
	if (depth != back_to)
		return recursive_value(depth + 1, jump_at, back_to) + 1;
	if (!setjmp(outer_call))
		return recursive_value(depth + 1, jump_at, back_to) + 1;
	return depth;
}

NOINLINE static void recursions(void)
{
	COUNTED();

	for (int back_to = 0; back_to < 4; back_to++) {
		recursive(0, back_to + 3, back_to);
		sum += recursive_value(0, back_to + 3, back_to);
	}
}

/* Room on the stack that is made when the function has begun, and more of it in each round. */
NOINLINE static void with_alloca(int size, int jump)
{
	COUNTED();

	for (int i = 0; i < 3; i++) {
		volatile char *room = alloca((size_t)size);
		room[size - 1] = 1;
		inlined_leaf(0);
	}
	inlined_leaf(jump);
	normal();
}

NOINLINE static int with_array(int size, int jump)
{
	COUNTED();
	volatile char first[size];

	first[0] = 1;
	normal();
	{
		volatile char second[size];
		second[size - 1] = 1;
		sum += inlined_value(jump);
	}
	inlined_leaf(jump);
	return first[0];
}

NOINLINE static void arrays(void)
{
	COUNTED();

	for (volatile int i = 1; i < 6; i++) {
		if (!setjmp(outside))
			with_alloca(i * 100, i % 2);
		if (!setjmp(outside))
			sum += with_array(i * 100, i % 2);
	}
}

static void handler(int number)
{
	COUNTED();

	normal();
	(void)number;
	siglongjmp(before_signal, 1);
}

NOINLINE static void raiser(int more)
{
	COUNTED();

	if (more)
		raiser(more - 1);
	else
		raise(SIGUSR1);
	sum++;
}

NOINLINE static void signals(void)
{
	COUNTED();

	for (volatile int i = 0; i < 3; i++) {
		if (!sigsetjmp(before_signal, 1))
			raiser(i);
		normal();
	}
}

int main(void)
{
	COUNTED();
	uint64_t start = own_clock();

	signal(SIGUSR1, handler);
	for (int i = 0; i < ROUNDS; i++) {
		depths();
		inlined();
		recursions();
		arrays();
		signals();
	}
	counted_main(start);
	return 0;
}
