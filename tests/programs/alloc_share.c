/* SPDX-License-Identifier: MIT */
/*
 * Functions of which a known share is allocating: the allocator does the same work as they do.
 *
 * usage: alloc_share UNITS
 *
 * In each of the first three, a quarter of the work is the allocator's: in every call, in one of 17, or in one of
 * 170. In the fourth three quarters are, in the fifth there is none of it, and in the last nothing but calls.
 */
#include "slow_allocator.h"

#include <hotpath.h>

#include <stdlib.h>

enum {
	WORK = 400,
	CALLS = 340,
};

static void allocate(unsigned work)
{
	slow_allocator_work = work;
	void *block = malloc(64);
	__asm__ volatile("" : : "r"(block) : "memory");
	slow_allocator_work = 0;
	free(block);
}

/* A turn takes about as long as the time between two samples. Random places keep the sampling out of its rhythm. */
static unsigned below(unsigned limit)
{
	static unsigned long random = 1;

	random = random * 6364136223846793005 + 1442695040888963407;
	return (unsigned)(random >> 33) % limit;
}

/* Work `own` units after each call of allocate(), one of `number` of which does the allocator's work of all. */
static void mix(unsigned own, unsigned allocators, unsigned number)
{
	for (unsigned i = 0, chosen = 0; i < CALLS; i++) {
		if (i % number == 0)
			chosen = i + below(number);
		allocate(i == chosen ? allocators * number : 0);
		slow_work(own);
	}
}

__attribute__((noinline)) static void in_each(void)
{
	HOTPATH_MEASURE();
	mix(3 * WORK, WORK, 1);
}

__attribute__((noinline)) static void in_17(void)
{
	HOTPATH_MEASURE();
	mix(3 * WORK, WORK, 17);
}

__attribute__((noinline)) static void in_170(void)
{
	HOTPATH_MEASURE();
	mix(3 * WORK, WORK, 170);
}

__attribute__((noinline)) static void in_most(void)
{
	HOTPATH_MEASURE();
	mix(WORK, 3 * WORK, 1);
}

__attribute__((noinline)) static void in_none(void)
{
	HOTPATH_MEASURE();
	slow_work(4 * CALLS * WORK);
}

__attribute__((noinline)) static void calls_alone(void)
{
	HOTPATH_MEASURE();
	for (unsigned i = 0; i < 50 * CALLS; i++)
		allocate(0);
}

int main(int argc, char **argv)
{
	HOTPATH_MAIN();
	for (unsigned long i = argc > 1 ? strtoul(argv[1], NULL, 10) : 0; i > 0; i--) {
		in_each();
		in_17();
		in_170();
		in_most();
		in_none();
		calls_alone();
		slow_work(below(4 * CALLS) * WORK);
	}
	return 0;
}
