/* SPDX-License-Identifier: MIT */
/*
 * A program that nobody prepared, to be attached to. It computes until it is told otherwise, by lines of standard input, and
 * answers each with a line.
 *
 * usage: attached
 *
 *	threads N   starts N more threads, each of which computes for 200 ms, and goes on as "later-1" …; answers with the CPU
 *	            time of all threads together, in nanoseconds, when all have done so
 *	short N     starts N threads one after the other, each of which computes for 10 ms and ends; answers with 0
 *	counters    answers with what a debugger or a signal would change: calls that were interrupted
 *	exec PATH   executes another program
 *	exit N      leaves with this status
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	/* Three times as much for one function as for the other. */
	SHORT = 20000,
	LONG = 3 * SHORT,
	COMPUTE_MS = 200,
	SHORT_MS = 10,
};

static volatile uint64_t sink;
static unsigned interrupted;
static sem_t computed, leave;

__attribute__((noinline)) static void leaf(unsigned steps)
{
	for (unsigned i = 0; i < steps; i++)
		sink += i;
}

__attribute__((noinline)) static void short_work(void)
{
	leaf(SHORT);
	sink++;
}

__attribute__((noinline)) static void long_work(void)
{
	leaf(LONG);
	sink++;
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

__attribute__((noinline)) static void later_work(unsigned milliseconds)
{
	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < UINT64_C(1000000) * milliseconds)
		leaf(SHORT);
	sink++;
}

static void *later(void *number)
{
	char name[16];

	snprintf(name, sizeof(name), "later-%d", *(int *)number);
	pthread_setname_np(pthread_self(), name);
	later_work(COMPUTE_MS);
	sem_post(&computed);
	sem_wait(&leave);
	return NULL;
}

static void start_threads(int count)
{
	static int numbers[64];
	pthread_t thread;

	for (int i = 0; i < count && i < 64; i++) {
		numbers[i] = i + 1;
		pthread_create(&thread, NULL, later, &numbers[i]);
		pthread_detach(thread);
	}
	for (int i = 0; i < count; i++)
		sem_wait(&computed);
	printf("%llu\n", (unsigned long long)clock_ns(CLOCK_PROCESS_CPUTIME_ID));
}

static void *short_life(void *unused)
{
	later_work(SHORT_MS);
	return unused;
}

static void start_short(int count)
{
	pthread_t thread;

	for (int i = 0; i < count; i++) {
		pthread_create(&thread, NULL, short_life, NULL);
		pthread_join(thread, NULL);
	}
	puts("0");
}

static void obey(char *line)
{
	line[strcspn(line, "\n")] = '\0';
	if (strncmp(line, "threads ", 8) == 0)
		start_threads(atoi(line + 8));
	else if (strncmp(line, "short ", 6) == 0)
		start_short(atoi(line + 6));
	else if (strncmp(line, "exit ", 5) == 0)
		exit(atoi(line + 5));
	else if (strncmp(line, "exec ", 5) == 0)
		execl(line + 5, line + 5, "10", (char *)NULL);
	else
		printf("%u\n", interrupted);
	fflush(stdout);
}

/* Whether somebody wants something. */
static int is_asked(int patience_ms)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	int ready = poll(&input, 1, patience_ms);

	interrupted += ready < 0 && errno == EINTR;
	return ready > 0;
}

int main(void)
{
	char line[256];

	sem_init(&computed, 0, 0);
	sem_init(&leave, 0, 0);
	puts("ready");
	fflush(stdout);
	for (unsigned round = 0;; round++) {
		short_work();
		long_work();
		if (is_asked(round % 64 ? 0 : 1)) {
			if (!fgets(line, sizeof(line), stdin))
				return 0;
			obey(line);
		}
	}
}
