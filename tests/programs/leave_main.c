/* SPDX-License-Identifier: MIT */
/* The main thread leaves by pthread_exit in the midst of measured functions; another one goes on. */
#include <hotpath.h>

#include "truth.h"

#include <pthread.h>

enum {
	CALLS = 1000,
};

static pthread_t main_thread;

__attribute__((noinline)) static void later(void)
{
	HOTPATH_MEASURE();
}

static void *goes_on(void *unused)
{
	(void)unused;
	pthread_join(main_thread, NULL);
	for (int i = 0; i < CALLS; i++)
		later();
	truth("leaves", 1);
	truth("later", CALLS);
	fflush(stdout);
	return NULL;
}

__attribute__((noinline)) static void leaves(void)
{
	HOTPATH_MEASURE();

	pthread_exit(NULL);
}

int main(void)
{
	HOTPATH_MAIN();
	pthread_t thread;

	main_thread = pthread_self();
	pthread_create(&thread, NULL, goes_on, NULL);
	leaves();
	return 0;
}
