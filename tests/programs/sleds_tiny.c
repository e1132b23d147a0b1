/* SPDX-License-Identifier: MIT */
/* Functions of a few instructions, which take half of the time of the one that calls them: mostly in their first instruction. */
#include <stdio.h>

#define NOINLINE __attribute__((noinline, noclone))

enum { ROUNDS = 40000, CALLS = 3000 };

NOINLINE static unsigned add(unsigned x)
{
	return x + 1;
}

NOINLINE static unsigned multiply(unsigned x)
{
	return x * 3;
}

NOINLINE static unsigned many(unsigned round)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < CALLS; i++)
		sum = multiply(sum) ^ (sum + add(i ^ round));
	return sum;
}

int main(void)
{
	unsigned sum = 0;

	for (unsigned round = 0; round < ROUNDS; round++)
		sum += many(round);
	printf("%u\n", sum);
	return 0;
}
