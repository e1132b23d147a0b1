/* SPDX-License-Identifier: MIT */
/* A program with many functions on many threads, all of them active, until it is killed. */
#include <hotpath.h>

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum {
	FUNCTIONS = 500,
	THREADS = 32,
};

static struct hotpath_site sites[FUNCTIONS];
static char names[FUNCTIONS][16];

/* Calls take from some nanoseconds to a microsecond, so that their histograms have several octaves. */
static void compute(uint32_t *random)
{
	*random = *random * 1664525 + 1013904223;
	for (volatile uint32_t i = 0; i < *random >> 24; i++)
		;
}

static void *call_all(void *seed)
{
	static const struct timespec moment = { 0, 4000000 };
	uint32_t random = (uint32_t)(uintptr_t)seed;

	for (;;) {
		for (int i = 0; i < FUNCTIONS; i++) {
			struct hotpath_span span;
			hotpath_span_begin(&span, &sites[i]);
			compute(&random);
			hotpath_span_end(&span);
		}
		nanosleep(&moment, NULL);
	}
	return NULL;
}

int main(void)
{
	pthread_t thread;

	for (int i = 0; i < FUNCTIONS; i++) {
		snprintf(names[i], sizeof(names[i]), "function_%d", i);
		sites[i] = (struct hotpath_site){ names[i],    __FILE__,
						  (uint32_t)i, HOTPATH_SITE_FUNCTION,
						  0,	       0 };
	}
	hotpath_start(NULL);
	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, call_all, (void *)(i * 7919 + 1)))
			return 1;
	for (;;)
		pause();
}
