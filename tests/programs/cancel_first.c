/* SPDX-License-Identifier: MIT */
/*
 * A thread that is to be cancelled makes the first measured call of the program.
 *
 * The profiler opens and reads files then. It must not be where the thread ends: that is the program's
 * affair, and whatever the profiler holds at that moment would be held for ever.
 */
#include <hotpath.h>

#include "truth.h"

#include <pthread.h>
#include <semaphore.h>

static sem_t cancelled;
static uint64_t measured;

__attribute__((noinline)) static void first(void)
{
	HOTPATH_MEASURE();

	measured++;
}

static void *victim(void *unused)
{
	(void)unused;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	sem_wait(&cancelled);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	first();
	truth("@survived", measured);
	pthread_testcancel();
	truth("@not_cancelled", 1);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	sem_init(&cancelled, 0, 0);
	pthread_create(&thread, NULL, victim, NULL);
	pthread_cancel(thread);
	sem_post(&cancelled);
	pthread_join(thread, NULL);
	first();
	truth("first", measured);
	return 0;
}
