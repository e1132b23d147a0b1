/* SPDX-License-Identifier: MIT */
/* Operations whose spans are kept in memory of the heap, and begin and end on any thread. */
#include <hotpath.h>

#include "truth.h"

#include <pthread.h>
#include <stdlib.h>

enum {
	CONCURRENT = 5,
	RACES = 2000,
	LASTING_NS = 5000000,
};

struct request {
	int number;
	struct hotpath_span span;
};

static struct request *races[RACES];
static pthread_barrier_t barrier;

static struct request *new_request(void)
{
	struct request *request = calloc(1, sizeof(*request));

	if (!request)
		exit(1);
	return request;
}

/* Twice, and then the memory is gone. */
static void *end_request(void *argument)
{
	struct request *request = argument;

	HOTPATH_SPAN_END(request->span);
	HOTPATH_SPAN_END(request->span);
	free(request);
	return NULL;
}

/* Two threads end the same ones at the same time. */
static void *end_races(void *unused)
{
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < RACES; i++)
		HOTPATH_SPAN_END(races[i]->span);
	return unused;
}

static void race(void)
{
	pthread_t threads[2];

	pthread_barrier_init(&barrier, NULL, 2);
	for (int i = 0; i < RACES; i++) {
		races[i] = new_request();
		HOTPATH_SPAN_BEGIN(races[i]->span, "raced");
	}
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, end_races, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

static void be_concurrent(void)
{
	struct request *requests[CONCURRENT];
	pthread_t threads[CONCURRENT];

	for (int i = 0; i < CONCURRENT; i++) {
		requests[i] = new_request();
		HOTPATH_SPAN_BEGIN(requests[i]->span, "concurrent");
	}
	spend(LASTING_NS);
	for (int i = 0; i < CONCURRENT; i++)
		pthread_create(&threads[i], NULL, end_request, requests[i]);
	for (int i = 0; i < CONCURRENT; i++)
		pthread_join(threads[i], NULL);
}

int main(void)
{
	HOTPATH_MAIN();
	static struct hotpath_span never[3], not_begun;

	be_concurrent();
	race();
	for (int i = 0; i < 3; i++)
		HOTPATH_SPAN_BEGIN(never[i], "never");
	HOTPATH_SPAN_END(not_begun);
	truth("concurrent", CONCURRENT);
	truth("raced", RACES);
	truth("@lasting", LASTING_NS);
	return 0;
}
