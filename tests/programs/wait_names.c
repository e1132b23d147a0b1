/* SPDX-License-Identifier: MIT */
/*
 * What is waited for, and by which function: the names that the report must have.
 *
 * usage: wait_names static|heap|label|measured|many [MILLISECONDS]
 */
#include <hotpath.h>

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MANY = 70000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static long ms = 1;

static struct timespec soon(void)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	time.tv_nsec += ms * 1000000;
	time.tv_sec += time.tv_nsec / 1000000000;
	time.tv_nsec %= 1000000000;
	return time;
}

__attribute__((noinline, noclone)) static void wait_for(pthread_cond_t *condition)
{
	struct timespec until = soon();

	pthread_mutex_lock(&mutex);
	pthread_cond_timedwait(condition, &mutex, &until);
	pthread_mutex_unlock(&mutex);
}

__attribute__((noinline, noclone)) static pthread_cond_t *make(void)
{
	pthread_cond_t *condition = malloc(sizeof(*condition));

	pthread_cond_init(condition, NULL);
	return condition;
}

__attribute__((noinline, noclone)) static void serve(void)
{
	HOTPATH_MEASURE();
	wait_for(&ready);
}

/* More semaphores than the table of the probe has room for: all are waited for, those without a place in it for nothing that
   has a name. */
__attribute__((noinline, noclone)) static void wait_for_many(void)
{
	sem_t *semaphores = malloc(MANY * sizeof(*semaphores));
	struct timespec past = { 1, 0 };

	for (int i = 0; i < MANY; i++) {
		sem_init(&semaphores[i], 0, 0);
		sem_timedwait(&semaphores[i], &past);
	}
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	ms = argc > 2 ? atol(argv[2]) : 1;
	if (strcmp(mode, "static") == 0) {
		wait_for(&ready);
	} else if (strcmp(mode, "heap") == 0) {
		pthread_cond_t *first = make(), *second = make();
		wait_for(first);
		wait_for(second);
		pthread_cond_destroy(first);
		wait_for(second);
	} else if (strcmp(mode, "label") == 0) {
		hotpath_label(&ready, "an order");
		wait_for(&ready);
	} else if (strcmp(mode, "measured") == 0) {
		serve();
	} else if (strcmp(mode, "many") == 0) {
		wait_for_many();
	}
	return 0;
}
