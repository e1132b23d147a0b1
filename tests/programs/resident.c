/* SPDX-License-Identifier: MIT */
/*
 * Many measured functions, on several threads, and many blocks that are kept: the recorder needs some memory for each.
 * At its end the program says how much it has in use itself, in bytes.
 */
#include <hotpath.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 3, BLOCKS = 20000 };

#define ONE(n)                                                                                     \
	__attribute__((noinline)) static void work_##n(void)                                       \
	{                                                                                          \
		HOTPATH_MEASURE();                                                                 \
		__asm__ volatile("" : : : "memory");                                               \
	}
/* clang-format off */
#define TEN(with, n) with(n##0) with(n##1) with(n##2) with(n##3) with(n##4) \
	with(n##5) with(n##6) with(n##7) with(n##8) with(n##9)
#define HUNDRED(with, n) TEN(with, n##0) TEN(with, n##1) TEN(with, n##2) TEN(with, n##3) TEN(with, n##4) \
	TEN(with, n##5) TEN(with, n##6) TEN(with, n##7) TEN(with, n##8) TEN(with, n##9)
#define CALL(n) work_##n();
/* clang-format on */

HUNDRED(ONE, 1)
HUNDRED(ONE, 2)

static pthread_barrier_t all_here;
static void *kept[BLOCKS];

static void *call_all(void *unused)
{
	for (int i = 0; i < 200; i++) {
		HUNDRED(CALL, 1)
		HUNDRED(CALL, 2)
	}
	/* Lanes of threads that have ended would be used again. */
	pthread_barrier_wait(&all_here);
	return unused;
}

static unsigned long resident_bytes(void)
{
	unsigned long pages = 0;
	FILE *statm = fopen("/proc/self/statm", "re");

	if (!statm || fscanf(statm, "%*u %lu", &pages) != 1)
		return 0;
	fclose(statm);
	return pages * (unsigned long)sysconf(_SC_PAGESIZE);
}

int main(void)
{
	pthread_t threads[THREADS];

	HOTPATH_MAIN();
	pthread_barrier_init(&all_here, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, call_all, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < BLOCKS; i++)
		kept[i] = memset(malloc(64), i, 64);
	printf("%lu\n", resident_bytes());
	return kept[0] == NULL;
}
