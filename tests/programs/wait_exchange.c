/* SPDX-License-Identifier: MIT */
/* Two threads that exchange messages, and wait for each other by all means: for sanitizers, which replace the same functions. */
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MESSAGES = 200, LINES = 10000, SIZE = 5 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t ended;
static bool is_done;
static int ends[2];

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void *answer(void *unused)
{
	char message[64];

	for (int i = 0; i < MESSAGES; i++) {
		must(read(ends[1], message, sizeof(message)) == SIZE);
		must(write(ends[1], message, SIZE) == SIZE);
	}
	pthread_mutex_lock(&lock);
	is_done = true;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	sem_post(&ended);
	return unused;
}

static void ask(void)
{
	char message[64];

	for (int i = 0; i < MESSAGES; i++) {
		struct pollfd ready = { .fd = ends[0], .events = POLLIN };
		must(write(ends[0], "hello", SIZE) == SIZE);
		must(poll(&ready, 1, -1) == 1);
		must(read(ends[0], message, sizeof(message)) == SIZE);
	}
}

static int count_lines(void)
{
	FILE *file = tmpfile();
	char line[32];
	int count = 0;

	must(file);
	for (int i = 0; i < LINES; i++)
		fprintf(file, "%d\n", i);
	rewind(file);
	while (fgets(line, sizeof(line), file))
		count++;
	fclose(file);
	return count;
}

int main(void)
{
	pthread_t thread;

	must(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	sem_init(&ended, 0, 0);
	pthread_create(&thread, NULL, answer, NULL);
	ask();
	pthread_mutex_lock(&lock);
	while (!is_done)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	sem_wait(&ended);
	pthread_join(thread, NULL);
	printf("%d messages, %d lines\n", MESSAGES, count_lines());
	return 0;
}
