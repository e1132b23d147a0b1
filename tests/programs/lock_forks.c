/* SPDX-License-Identifier: MIT */
/*
 * A handler that runs before fork waits for a lock, which parent and child release after it, as libraries do that must be
 * forked in a known state. Prints how often it has waited.
 */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FORKS = 5 };

static pthread_mutex_t forking = PTHREAD_MUTEX_INITIALIZER;
static sem_t may_hold, is_held;
static atomic_bool is_about_to;

static void prepare(void)
{
	atomic_store(&is_about_to, true);
	pthread_mutex_lock(&forking);
}

static void release(void)
{
	pthread_mutex_unlock(&forking);
}

/* Whether the first thread sleeps. */
static int is_asleep(void)
{
	char text[512] = "";
	int file = open("/proc/self/stat", O_RDONLY);
	ssize_t length = read(file, text, sizeof(text) - 1);

	close(file);
	const char *end = length > 0 ? strrchr(text, ')') : NULL;
	return end && end[2] == 'S';
}

static void *hold(void *unused)
{
	for (int i = 0; i < FORKS; i++) {
		sem_wait(&may_hold);
		pthread_mutex_lock(&forking);
		sem_post(&is_held);
		while (!atomic_load(&is_about_to) || !is_asleep())
			usleep(1000);
		pthread_mutex_unlock(&forking);
	}
	return unused;
}

static void fork_once(void)
{
	atomic_store(&is_about_to, false);
	sem_post(&may_hold);
	sem_wait(&is_held);
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
}

int main(void)
{
	pthread_t holder;

	sem_init(&may_hold, 0, 0);
	sem_init(&is_held, 0, 0);
	pthread_atfork(prepare, release, release);
	pthread_create(&holder, NULL, hold, NULL);
	for (int i = 0; i < FORKS; i++)
		fork_once();
	pthread_join(holder, NULL);
	printf("%d\n", FORKS);
	return 0;
}
