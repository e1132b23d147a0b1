/* SPDX-License-Identifier: MIT */
/*
 * Starts and stops recording a thousand times, while other threads measure all the while.
 *
 * Each cycle leaves a report and a line with what it must hold: the calls of main exactly, those of the
 * threads between two bounds, because they do not stop for it.
 *
 * usage: cycles FOLDER CYCLES THREADS
 */
#include <hotpath.h>

#include "truth.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

enum {
	THREADS_MAX = 16,
};

/* On lines of their own, so that counting is quick. */
static struct counter {
	uint64_t entered, left;
} counters[THREADS_MAX] __attribute__((aligned(128)));
static unsigned threads;
static bool finished;

__attribute__((noinline)) static void elsewhere(void)
{
	HOTPATH_MEASURE();
}

__attribute__((noinline)) static void here(void)
{
	HOTPATH_MEASURE();
}

static void *run(void *argument)
{
	struct counter *counter = argument;

	while (!__atomic_load_n(&finished, __ATOMIC_RELAXED)) {
		__atomic_store_n(&counter->entered, counter->entered + 1, __ATOMIC_RELEASE);
		elsewhere();
		__atomic_store_n(&counter->left, counter->left + 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

static struct counter sum(void)
{
	struct counter sum = { 0, 0 };

	for (unsigned i = 0; i < threads; i++) {
		sum.left += __atomic_load_n(&counters[i].left, __ATOMIC_ACQUIRE);
		sum.entered += __atomic_load_n(&counters[i].entered, __ATOMIC_ACQUIRE);
	}
	return sum;
}

static void cycle(const char *folder, int number)
{
	struct hotpath_options options = HOTPATH_OPTIONS_INIT;
	char path[256], caller[32];
	int calls = number % 200;

	snprintf(path, sizeof(path), "%s/%d.json", folder, number);
	snprintf(caller, sizeof(caller), "cycle_%d", number % 3);
	options.output_path = path;
	options.format = HOTPATH_FORMAT_JSON;
	options.caller = caller;
	uint64_t left_before = sum().left;
	if (hotpath_start(&options))
		exit(1);
	uint64_t entered = sum().entered;
	for (int i = 0; i < calls; i++)
		here();
	uint64_t left = sum().left;
	if (hotpath_stop() || hotpath_stop() != -EALREADY)
		exit(1);
	here();
	printf("{\"caller\":\"%s\",\"here\":%d,\"least\":%" PRIu64 ",\"most\":%" PRIu64 "}\n",
	       caller, calls, left > entered ? left - entered : 0, sum().entered - left_before);
}

int main(int argc, char **argv)
{
	pthread_t ids[THREADS_MAX];

	if (argc < 4)
		return 1;
	threads = (unsigned)atoi(argv[3]);
	for (unsigned i = 0; i < threads; i++)
		pthread_create(&ids[i], NULL, run, &counters[i]);
	for (int i = 0; i < atoi(argv[2]); i++)
		cycle(argv[1], i);
	__atomic_store_n(&finished, true, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	return 0;
}
