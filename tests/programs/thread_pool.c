/* SPDX-License-Identifier: MIT */
/*
 * Threads of all kinds, in a program that knows nothing of hotpath.
 *
 * usage: thread_pool KIND...
 *
 *	crowd	six threads "worker" compute, all on one processor
 *	kernel	two threads "reader" are in system calls all the time
 *	sleep	64 threads without a name sleep for a moment
 *	nap	two do
 *	mixed	two threads without a name compute, six more sleep for as long
 *	late	the first thread sleeps for a moment, and then computes
 *	short	a thousand threads "short", one after the other, do next to nothing
 *	stay	eight threads "stays" wait for ever; the process ends without them
 *	killed	the same, but the process kills itself
 *	lasts	the same, but the process prints its number, and waits to be killed
 *
 * Prints for all but the last three what its threads measured themselves: their time from begin to end, and their
 * CPU time, each added up, in nanoseconds.
 */
#include "compute.h"

#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 64, MILLISECONDS = 100, SHORT = 1000 };

static long long lived_ns, computed_ns;
static volatile bool is_over;

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void name_this(const char *name)
{
	pthread_setname_np(pthread_self(), name);
}

static void work(void)
{
	name_this("worker");
	compute(MILLISECONDS);
}

static void read_zeros(void)
{
	char bytes[65536];
	int file = open("/dev/zero", O_RDONLY);
	long long end = thread_used_ns() + MILLISECONDS * 1000000LL;

	name_this("reader");
	while (thread_used_ns() < end)
		for (int i = 0; i < 100; i++)
			(void)!read(file, bytes, sizeof(bytes));
	close(file);
}

static void sleep_a_while(void)
{
	nanosleep(&(struct timespec){ 0, MILLISECONDS * 1000000L }, NULL);
}

static void compute_to_the_end(void)
{
	compute(MILLISECONDS);
	is_over = true;
}

static void sleep_to_the_end(void)
{
	while (!is_over)
		sleep_a_while();
}

static void be_short(void)
{
	name_this("short");
}

static void wait_for_ever(void)
{
	name_this("stays");
	for (;;)
		pause();
}

static void *run(void *task)
{
	long long begin = now_ns();

	(*(void (**)(void))task)();
	__atomic_add_fetch(&computed_ns, thread_used_ns(), __ATOMIC_RELAXED);
	__atomic_add_fetch(&lived_ns, now_ns() - begin, __ATOMIC_RELAXED);
	return NULL;
}

static pthread_t begin(void (**task)(void))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, (void *)task))
		errx(2, "no thread");
	return thread;
}

static void together(unsigned count, void (**task)(void))
{
	pthread_t threads[THREADS_MAX];

	for (unsigned i = 0; i < count; i++)
		threads[i] = begin(task);
	for (unsigned i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

static void mixed(void)
{
	static void (*tasks[])(void) = { compute_to_the_end, sleep_to_the_end };
	pthread_t threads[8];

	for (unsigned i = 0; i < 8; i++)
		threads[i] = begin(&tasks[i >= 2]);
	for (unsigned i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
}

static void one_after_the_other(unsigned count, void (**task)(void))
{
	for (unsigned i = 0; i < count; i++)
		pthread_join(begin(task), NULL);
}

/* Returns when all of them wait: they have a name by then. */
static void leave_waiting(void)
{
	static void (*task)(void) = wait_for_ever;

	for (unsigned i = 0; i < 8; i++) {
		pthread_t thread = begin(&task);
		for (char name[16] = ""; strcmp(name, "stays") != 0; sched_yield())
			pthread_getname_np(thread, name, sizeof(name));
	}
}

static void use_one_processor(void)
{
	cpu_set_t all, one;
	size_t first = 0;

	if (sched_getaffinity(0, sizeof(all), &all))
		err(2, "affinity");
	while (!CPU_ISSET(first, &all))
		first++;
	CPU_ZERO(&one);
	CPU_SET(first, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static void do_kind(const char *kind)
{
	static void (*tasks[])(void) = { work, read_zeros, sleep_a_while, be_short };

	if (strcmp(kind, "crowd") == 0) {
		use_one_processor();
		together(6, &tasks[0]);
	} else if (strcmp(kind, "kernel") == 0) {
		together(2, &tasks[1]);
	} else if (strcmp(kind, "sleep") == 0) {
		together(THREADS_MAX, &tasks[2]);
	} else if (strcmp(kind, "nap") == 0) {
		together(2, &tasks[2]);
	} else if (strcmp(kind, "mixed") == 0) {
		mixed();
	} else if (strcmp(kind, "late") == 0) {
		usleep(3000L * MILLISECONDS);
		compute(MILLISECONDS);
	} else if (strcmp(kind, "short") == 0) {
		one_after_the_other(SHORT, &tasks[3]);
	} else {
		leave_waiting();
		compute(MILLISECONDS);
	}
	if (strcmp(kind, "killed") == 0)
		raise(SIGKILL);
	if (strcmp(kind, "lasts") == 0) {
		printf("%d\n", (int)getpid());
		fflush(stdout);
		pause();
	}
}

int main(int count, char **arguments)
{
	if (count < 2)
		errx(2, "usage: thread_pool KIND...");
	for (int i = 1; i < count; i++)
		do_kind(arguments[i]);
	printf("%lld %lld\n", lived_ns, computed_ns);
	return 0;
}
