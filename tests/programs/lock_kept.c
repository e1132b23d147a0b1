/* SPDX-License-Identifier: MIT */
/*
 * A lock that one thread keeps until the input of the program ends, and that another one waits for meanwhile.
 *
 * take_lock has been called before, when the lock was free. A line on standard output says that it is about to wait.
 */
#include <hotpath.h>

#include <err.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static pthread_mutex_t stats_lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t kept;

__attribute__((noinline)) static void keep_lock(void)
{
	HOTPATH_MEASURE();
	pthread_mutex_lock(&stats_lock);
	sem_post(&kept);
	while (getchar() != EOF)
		;
	pthread_mutex_unlock(&stats_lock);
}

__attribute__((noinline)) static void take_lock(void)
{
	HOTPATH_MEASURE();
	pthread_mutex_lock(&stats_lock);
	pthread_mutex_unlock(&stats_lock);
}

static void *taker(void *unused)
{
	while (sem_wait(&kept))
		;
	puts("ready");
	fflush(stdout);
	take_lock();
	return unused;
}

int main(void)
{
	HOTPATH_MAIN();
	pthread_t thread;

	sem_init(&kept, 0, 0);
	take_lock();
	if (pthread_create(&thread, NULL, taker, NULL))
		errx(2, "no thread");
	keep_lock();
	pthread_join(thread, NULL);
	return 0;
}
