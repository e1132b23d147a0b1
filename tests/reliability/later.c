/* SPDX-License-Identifier: MIT */
/*
 * A program that limits itself after its first measured call.
 *
 *	later address   1 GB of address space: 600 MB of it can be allocated, and threads be made
 *	later locked    all memory is locked, also what comes later, of which there may be 8 MB
 *
 * Ends with 0 when all of that was possible.
 */
#include <hotpath.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum {
	THREADS = 8,
	MEGABYTE = 1 << 20,
};

static int work(int value)
{
	HOTPATH_MEASURE();
	return value * 3;
}

static void *thread_work(void *unused)
{
	work(2);
	return unused;
}

static int failed(const char *what)
{
	perror(what);
	return 1;
}

static int make_threads(void)
{
	pthread_t threads[THREADS];
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 128 * 1024);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], &small, thread_work, NULL))
			return failed("pthread_create");
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static int limit_address_space(void)
{
	struct rlimit limit = { 1024L * MEGABYTE, 1024L * MEGABYTE };

	if (setrlimit(RLIMIT_AS, &limit))
		return failed("setrlimit");
	char *half = malloc(300L * MEGABYTE);
	if (!half)
		return failed("malloc");
	if (mmap(NULL, 300L * MEGABYTE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		 0) == MAP_FAILED)
		return failed("mmap");
	free(half);
	return make_threads();
}

static int lock_memory(void)
{
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		return failed("mlockall");
	char *memory = malloc(MEGABYTE);
	if (!memory)
		return failed("malloc");
	memset(memory, 1, MEGABYTE);
	free(memory);
	return make_threads();
}

int main(int count, char **arguments)
{
	if (count != 2)
		return 2;
	work(1);
	return strcmp(arguments[1], "address") == 0 ? limit_address_space() : lock_memory();
}
