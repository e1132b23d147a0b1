/* SPDX-License-Identifier: MIT */
/*
 * A program that ends while its threads measure one new function after the other: the segment grows to
 * the last moment.
 *
 *	growing NUMBER    ends by exit(7), at a moment that depends on the number
 */
#include <hotpath.h>

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	THREADS = 4,
	FUNCTIONS = 20000,
};

static struct hotpath_site sites[THREADS][FUNCTIONS];
static char names[THREADS][FUNCTIONS][16];
static unsigned progress[THREADS];

static void *grow(void *slot)
{
	uintptr_t nth = (uintptr_t)slot;

	for (unsigned i = 0; i < FUNCTIONS; i++) {
		struct hotpath_span span;

		snprintf(names[nth][i], sizeof(names[nth][i]), "f%u_%u", (unsigned)nth, i);
		sites[nth][i] = (struct hotpath_site){ names[nth][i],	      __FILE__, i,
						       HOTPATH_SITE_FUNCTION, 0,	0 };
		hotpath_span_begin(&span, &sites[nth][i]);
		hotpath_span_end(&span);
		__atomic_store_n(&progress[nth], i + 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static unsigned slowest(void)
{
	unsigned least = FUNCTIONS;

	for (unsigned nth = 0; nth < THREADS; nth++) {
		unsigned done = __atomic_load_n(&progress[nth], __ATOMIC_RELAXED);
		least = done < least ? done : least;
	}
	return least;
}

int main(int argc, char **argv)
{
	HOTPATH_MAIN();
	unsigned enough = argc > 1 ? 5 + (unsigned)atoi(argv[1]) * 7 : 5;
	pthread_t thread;

	for (uintptr_t nth = 0; nth < THREADS; nth++)
		if (pthread_create(&thread, NULL, grow, (void *)nth))
			return 1;
	while (slowest() < enough)
		sched_yield();
	exit(7);
}
