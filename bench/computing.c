/* SPDX-License-Identifier: MIT */
/*
 * A program that only computes, 30 frames deep and without frame pointers, to see what it costs to sample it.
 *
 * usage: computing ROUNDS
 *
 * Prints its CPU time in milliseconds, as the kernel counts it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum {
	/* Levels of the recursion; with its end, mix(), main() and three frames of the C library, a stack has 30 frames. */
	DEPTH = 24,
	WORDS = 4096,
};

static uint64_t words[WORDS];

static __attribute__((noinline)) uint64_t mix(uint64_t seed)
{
	for (unsigned i = 0; i < WORDS; i++) {
		seed = seed * 6364136223846793005 + 1442695040888963407;
		words[(seed >> 32) % WORDS] ^= seed;
	}
	return seed;
}

static __attribute__((noinline)) uint64_t descend(unsigned depth, uint64_t seed)
{
	return depth ? descend(depth - 1, seed + depth) ^ words[depth] : mix(seed);
}

static double milliseconds(struct timeval time)
{
	return (double)time.tv_sec * 1e3 + (double)time.tv_usec / 1e3;
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	struct rusage usage;
	uint64_t seed = 1;

	for (unsigned long i = 0; i < rounds; i++)
		seed = descend(DEPTH, seed);
	getrusage(RUSAGE_SELF, &usage);
	printf("%.3f\n", milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime));
	return seed == 0;
}
