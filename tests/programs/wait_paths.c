/* SPDX-License-Identifier: MIT */
/*
 * Waits in paths that are known, and tells how long: main calls a, b and c, which call nap. a waits three times as long as b;
 * c waits as long as b in many short pieces.
 *
 * usage: wait_paths MEANS MILLISECONDS [DEPTH]
 *
 * MEANS is how nap waits: lock, sleep or pipe. a waits for about so many milliseconds. DEPTH is how often deep calls itself
 * before it calls nap, which is what d does, as long as b. The output is a line for each path, "a 123456789", in nanoseconds
 * as the program's own clock has it, around each call that waits.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static int pipes[2];
/* What the partner is to do: hold the lock, or write to the pipe after so many microseconds; -1 ends it. */
static atomic_long wanted;
static atomic_bool is_held;
static uint64_t waited_ns;
/* Keeps calls from being tail calls. */
static volatile unsigned called;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Not by the C library, whose function is one that is recorded. */
static void sleep_unseen(long us)
{
	struct timespec time = { us / 1000000, us % 1000000 * 1000 };

	syscall(SYS_nanosleep, &time, NULL);
}

static void *partner(void *by_pipe)
{
	long us;

	while ((us = atomic_load(&wanted)) >= 0) {
		if (us == 0) {
			sched_yield();
			continue;
		}
		if (!by_pipe)
			pthread_mutex_lock(&gate);
		atomic_store(&wanted, 0);
		atomic_store(&is_held, true);
		sleep_unseen(us);
		if (by_pipe)
			syscall(SYS_write, pipes[1], "", 1);
		else
			pthread_mutex_unlock(&gate);
	}
	return NULL;
}

static void call_partner(long us)
{
	atomic_store(&is_held, false);
	atomic_store(&wanted, us);
	while (!atomic_load(&is_held))
		sched_yield();
}

NOINLINE static void by_lock(long us)
{
	call_partner(us);
	uint64_t since = now_ns();
	pthread_mutex_lock(&gate);
	waited_ns += now_ns() - since;
	pthread_mutex_unlock(&gate);
}

NOINLINE static void by_sleep(long us)
{
	struct timespec time = { us / 1000000, us % 1000000 * 1000 };
	uint64_t since = now_ns();

	nanosleep(&time, NULL);
	waited_ns += now_ns() - since;
}

NOINLINE static void by_pipe(long us)
{
	char byte;

	call_partner(us);
	uint64_t since = now_ns();
	if (read(pipes[0], &byte, 1) != 1)
		abort();
	waited_ns += now_ns() - since;
}

static void (*means)(long us);

NOINLINE static void nap(long us)
{
	means(us);
	called++;
}

NOINLINE static void a(long us)
{
	nap(3 * us);
	called++;
}

NOINLINE static void b(long us)
{
	nap(us);
	called++;
}

NOINLINE static void c(long us)
{
	for (int i = 0; i < 25; i++)
		nap(us / 25);
	called++;
}

NOINLINE static void deep(long us, long depth)
{
	if (depth > 0)
		deep(us, depth - 1);
	else
		nap(us);
	called++;
}

NOINLINE static void d(long us, long depth)
{
	deep(us, depth);
	called++;
}

static void tell(const char *path, uint64_t *sum)
{
	if (path)
		printf("%s %llu\n", path, (unsigned long long)*sum);
	*sum += waited_ns;
	waited_ns = 0;
}

NOINLINE static void run(long milliseconds, long depth)
{
	enum { ROUNDS = 20 };
	uint64_t sums[4] = { 0 };
	long us = milliseconds * 1000 / 3 / ROUNDS;

	for (int i = 0; i < ROUNDS; i++) {
		a(us);
		tell(NULL, &sums[0]);
		b(us);
		tell(NULL, &sums[1]);
		c(us);
		tell(NULL, &sums[2]);
		if (depth)
			d(us, depth);
		tell(NULL, &sums[3]);
	}
	for (int i = 0; i < 4; i++)
		tell((const char *[]){ "a", "b", "c", "d" }[i], &sums[i]);
}

/* Recording begins with the first lock or wait, and takes some time for that. */
NOINLINE static void begin_recording(void)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	nanosleep(&(struct timespec){ 0, 1 }, NULL);
	called++;
}

int main(int argc, char **argv)
{
	bool is_pipe = argc > 1 && strcmp(argv[1], "pipe") == 0;
	pthread_t thread;

	begin_recording();
	if (argc < 3 || pipe(pipes) ||
	    pthread_create(&thread, NULL, partner, is_pipe ? &wanted : NULL))
		return 2;
	means = is_pipe ? by_pipe : strcmp(argv[1], "lock") == 0 ? by_lock : by_sleep;
	run(atol(argv[2]), argc > 3 ? atol(argv[3]) : 0);
	atomic_store(&wanted, -1);
	pthread_join(thread, NULL);
	return 0;
}
