/* SPDX-License-Identifier: MIT */
/*
 * Functions and threads of which the truth is known: some compute and have no processor, one sleeps, one is in the kernel,
 * one calls many small ones and leaves by exit().
 *
 * usage: verdict_truth crowd | kernel | leave
 */
#include "compute.h"

#include <hotpath.h>

#include <err.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
	THREADS = 6,
	MILLISECONDS = 120,
	SMALL_CALLS = 1000000,
};

__attribute__((noinline)) static void compute_alone(void)
{
	HOTPATH_MEASURE();
	compute(MILLISECONDS);
}

__attribute__((noinline)) static void sleep_a_while(void)
{
	HOTPATH_MEASURE();
	const struct timespec time = { 0, MILLISECONDS * 1000000L };

	nanosleep(&time, NULL);
}

static void *work(void *unused)
{
	compute_alone();
	return unused;
}

/* Six threads that compute, on one processor. */
static void crowd(void)
{
	pthread_t threads[THREADS];
	cpu_set_t all, first;

	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&first);
	for (size_t i = 0; i < CPU_SETSIZE && !CPU_COUNT(&first); i++)
		if (CPU_ISSET(i, &all))
			CPU_SET(i, &first);
	sched_setaffinity(0, sizeof(first), &first);
	for (unsigned i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			errx(2, "no thread");
	sleep_a_while();
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* Pages that are used once, and given back. */
__attribute__((noinline)) static void touch_pages(void)
{
	enum { SIZE = 1 << 24, PAGE = 4096 };

	HOTPATH_MEASURE();
	char *pages = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		err(2, "mmap");
	madvise(pages, SIZE, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < SIZE; i += PAGE)
		pages[i] = 1;
	munmap(pages, SIZE);
}

static void kernel(void)
{
	while (thread_used_ns() < MILLISECONDS * 3000000LL)
		touch_pages();
}

static volatile uint64_t number = 1;

__attribute__((noinline)) static void small(void)
{
	HOTPATH_MEASURE();
	number = number * number + 3;
}

__attribute__((noinline)) static void leave(void)
{
	HOTPATH_MEASURE();
	for (unsigned i = 0; i < SMALL_CALLS; i++)
		small();
	exit(0);
}

int main(int argc, char **argv)
{
	HOTPATH_MEASURE();
	if (argc == 2 && strcmp(argv[1], "crowd") == 0)
		crowd();
	else if (argc == 2 && strcmp(argv[1], "kernel") == 0)
		kernel();
	else if (argc == 2 && strcmp(argv[1], "leave") == 0)
		leave();
	else
		errx(2, "usage: verdict_truth crowd | kernel | leave");
	return 0;
}
