/* SPDX-License-Identifier: MIT */
/*
 * A program that the compiler was told to instrument, and that knows nothing of who measures it: prints what
 * one call of a measured function costs more than one that is not, in nanoseconds.
 *
 * usage: instrumented one|nested|turns CALLS ROUNDS	of which the quickest counts
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PLAIN __attribute__((noinline, no_instrument_function)) static
#define MEASURED __attribute__((noinline)) static

typedef uint64_t work(uint64_t x);

PLAIN uint64_t plain(uint64_t x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 31 + 7;
}

MEASURED uint64_t measured(uint64_t x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 31 + 7;
}

PLAIN uint64_t plain_outer(uint64_t x)
{
	return plain(plain(plain(x)));
}

MEASURED uint64_t outer(uint64_t x)
{
	return measured(measured(measured(x)));
}

MEASURED uint64_t one_caller(uint64_t x)
{
	return measured(x);
}

MEASURED uint64_t other_caller(uint64_t x)
{
	return measured(x + 1);
}

PLAIN uint64_t in_turns(uint64_t x)
{
	return other_caller(one_caller(x));
}

PLAIN uint64_t plain_turns(uint64_t x)
{
	return plain(plain(plain(plain(x))));
}

/* Each with the number of measured calls in it. */
static const struct {
	const char *name;
	work *measured;
	work *plain;
	unsigned calls;
} cases[] = {
	{ "one", measured, plain, 1 },
	{ "nested", outer, plain_outer, 4 },
	{ "turns", in_turns, plain_turns, 4 },
};

PLAIN double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

PLAIN double time_of(work *function, unsigned long times)
{
	static volatile uint64_t sink;
	uint64_t x = sink;
	double start = now_ns();

	for (unsigned long i = 0; i < times; i++)
		x = function(x);
	double end = now_ns();
	sink = x;
	return (end - start) / (double)times;
}

/* The quickest of some rounds, each way by itself. */
PLAIN double quickest(work *function, unsigned long times, unsigned long rounds)
{
	double least = time_of(function, times);

	for (unsigned long i = 1; i < rounds; i++) {
		double again = time_of(function, times);
		if (again < least)
			least = again;
	}
	return least;
}

__attribute__((no_instrument_function)) int main(int argc, char **argv)
{
	unsigned long calls = argc > 3 ? strtoul(argv[2], NULL, 10) : 0;
	unsigned long rounds = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;

	for (size_t i = 0; calls && i < sizeof(cases) / sizeof(*cases); i++) {
		unsigned long times = calls / cases[i].calls;
		if (strcmp(argv[1], cases[i].name) == 0)
			printf("%f\n", (quickest(cases[i].measured, times, rounds) -
					quickest(cases[i].plain, times, rounds)) /
					       cases[i].calls);
	}
	return 0;
}
