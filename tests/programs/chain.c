/* SPDX-License-Identifier: MIT */
/*
 * Calls a function two million times that does so many steps, each of which needs the one before: how long that takes is known
 * without the profiler.
 *
 * usage: chain STEPS
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static uint64_t chain(uint64_t number, unsigned steps)
{
	for (unsigned i = 0; i < steps; i++)
		number = number * number + 3;
	return number;
}

int main(int argc, char **argv)
{
	unsigned steps = argc == 2 ? (unsigned)atoi(argv[1]) : 0;
	uint64_t number = 1;

	for (int i = 0; i < 2000000; i++)
		number = chain(number, steps);
	printf("%llu\n", (unsigned long long)number);
	return 0;
}
