/* SPDX-License-Identifier: MIT */
/* A program whose calls another tool can count: none of its functions is inlined. */
#include <hotpath.h>

#include <stdio.h>

#define ALONE __attribute__((noinline, noclone))

static volatile unsigned sink;

ALONE static unsigned leaf(unsigned x)
{
	HOTPATH_MEASURE();
	return x * 3 + sink;
}

ALONE static unsigned inner(unsigned x)
{
	HOTPATH_MEASURE();
	return x % 3 ? leaf(x) : leaf(x) + leaf(x + 1);
}

ALONE static unsigned outer(unsigned x)
{
	HOTPATH_MEASURE();
	unsigned sum = 0;

	for (unsigned i = 0; i < x % 7; i++)
		sum += inner(i);
	return sum;
}

ALONE static unsigned fibonacci(unsigned n)
{
	HOTPATH_MEASURE();
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static unsigned is_odd(unsigned n);

ALONE static unsigned is_even(unsigned n)
{
	HOTPATH_MEASURE();
	return n == 0 ? 1 : is_odd(n - 1);
}

ALONE static unsigned is_odd(unsigned n)
{
	HOTPATH_MEASURE();
	return n == 0 ? 0 : is_even(n - 1);
}

int main(void)
{
	HOTPATH_MAIN();
	unsigned sum = fibonacci(18) + is_even(1001);

	for (unsigned i = 0; i < 1000; i++)
		sum += outer(i);
	printf("%u\n", sum);
	return 0;
}
