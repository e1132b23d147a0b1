/* SPDX-License-Identifier: MIT */
/*
 * A program that allocates, and knows nothing of who watches it.
 *
 * usage: allocating pairs COUNT THREADS    prints what a malloc(64) and its free take, in nanoseconds
 *        allocating live COUNT SIZE        keeps so many blocks, of this size or, for 0, of many sizes, and
 *                                          prints the memory that the process has in use, in bytes
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	ROUNDS = 15,
	THREADS_MAX = 16,
};

static unsigned long count;

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* The best round: whatever else the machine does disturbs little. */
static void *pairs(void *result)
{
	double best = 1e18;

	for (int round = 0; round < ROUNDS; round++) {
		double start = now_ns();
		for (unsigned long i = 0; i < count; i++) {
			void *block = malloc(64);
			__asm__ volatile("" : : "r"(block) : "memory");
			free(block);
		}
		double taken = (now_ns() - start) / (double)count;
		best = taken < best ? taken : best;
	}
	*(double *)result = best;
	return NULL;
}

/* One is the program's own: there is no other then, and never was. */
static void print_pairs(unsigned threads)
{
	pthread_t ids[THREADS_MAX];
	double results[THREADS_MAX], worst = 0;

	for (unsigned i = 1; i < threads; i++)
		pthread_create(&ids[i], NULL, pairs, &results[i]);
	pairs(&results[0]);
	for (unsigned i = 0; i < threads; i++) {
		if (i > 0)
			pthread_join(ids[i], NULL);
		worst = results[i] > worst ? results[i] : worst;
	}
	printf("%f\n", worst);
}

/* Sizes as programs have them: many small ones, few large. */
static size_t some_size(void)
{
	static uint64_t state = 88172645463325252;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (size_t)16 << (state % 8) / (1 + state / 8 % 3);
}

static void print_live(size_t size)
{
	unsigned long pages = 0;
	void **previous = NULL;

	for (unsigned long i = 0; i < count; i++) {
		void **block = malloc(size ? size : some_size());
		memset(block, 1, sizeof(*block));
		*block = previous;
		previous = block;
	}
	FILE *file = fopen("/proc/self/statm", "r");
	if (file && fscanf(file, "%*u %lu", &pages) != 1)
		pages = 0;
	printf("%lu\n", pages * (unsigned long)sysconf(_SC_PAGESIZE));
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	count = strtoul(argv[2], NULL, 10);
	if (strcmp(argv[1], "pairs") != 0)
		print_live(strtoul(argv[3], NULL, 10));
	else if (atoi(argv[3]) > 0 && atoi(argv[3]) <= THREADS_MAX)
		print_pairs((unsigned)atoi(argv[3]));
	return 0;
}
