/* SPDX-License-Identifier: MIT */
/*
 * Threads that compute for a short time, and begin and end in every way there is; with hardly a descriptor to
 * be had.
 *
 * usage: threads_compute KIND... with KIND joined|c11|exits|cancelled|detached
 *        threads_compute late
 *
 * Prints the CPU time of the process in nanoseconds, as the kernel counts it. The late one asks for samples when a
 * thread is there already, and prints the CPU time since. Fails if its descriptors are not what they were.
 */
#include <hotpath.h>

#include "compute.h"

#include <dirent.h>
#include <err.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>

enum { THREADS = 20, AT_ONCE = 4, MILLISECONDS = 20 };

static sem_t ended;

static void *joined(void *unused)
{
	compute(MILLISECONDS);
	return unused;
}

static void *exits(void *unused)
{
	compute(MILLISECONDS);
	pthread_exit(unused);
}

static void *cancelled(void *unused)
{
	compute(MILLISECONDS);
	for (;;)
		pause();
	return unused;
}

static void *detached(void *unused)
{
	compute(MILLISECONDS);
	sem_post(&ended);
	return unused;
}

static int c11(void *unused)
{
	(void)unused;
	compute(MILLISECONDS);
	return 7;
}

static void run_c11(void)
{
	thrd_t threads[AT_ONCE];
	int result;

	for (int i = 0; i < AT_ONCE; i++)
		if (thrd_create(&threads[i], c11, NULL) != thrd_success)
			errx(2, "no thread");
	for (int i = 0; i < AT_ONCE; i++)
		if (thrd_join(threads[i], &result) != thrd_success || result != 7)
			errx(2, "a thread is lost");
}

static void run_some(void *(*run)(void *))
{
	pthread_t threads[AT_ONCE];
	void *result;

	for (int i = 0; i < AT_ONCE; i++)
		if (pthread_create(&threads[i], NULL, run, &ended))
			errx(2, "no thread");
	for (int i = 0; i < AT_ONCE; i++) {
		if (run == detached && (pthread_detach(threads[i]) || sem_wait(&ended)))
			errx(2, "a thread is lost");
		if (run == cancelled)
			pthread_cancel(threads[i]);
		if (run != detached && pthread_join(threads[i], &result) == 0 &&
		    result != (run == cancelled ? PTHREAD_CANCELED : &ended))
			errx(2, "a thread returns something else");
	}
}

static void run_kind(const char *kind)
{
	static const struct {
		const char *name;
		void *(*run)(void *);
	} kinds[] = { { "joined", joined },
		      { "exits", exits },
		      { "cancelled", cancelled },
		      { "detached", detached } };

	if (strcmp(kind, "c11") == 0) {
		run_c11();
		return;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcmp(kind, kinds[i].name) == 0) {
			run_some(kinds[i].run);
			return;
		}
	errx(2, "no such kind: %s", kind);
}

static void *early(void *go)
{
	compute(MILLISECONDS);
	sem_post(&ended);
	sem_wait(go);
	compute(10 * MILLISECONDS);
	return NULL;
}

static long long run_late(void)
{
	struct hotpath_options options = HOTPATH_OPTIONS_INIT;
	pthread_t thread;
	sem_t go;

	sem_init(&go, 0, 0);
	if (pthread_create(&thread, NULL, early, &go))
		errx(2, "no thread");
	sem_wait(&ended);
	options.cpu_rate = 999;
	long long before = used_ns();
	if (hotpath_start(&options))
		errx(2, "no start");
	sem_post(&go);
	compute(10 * MILLISECONDS);
	pthread_join(thread, NULL);
	long long used = used_ns() - before;
	hotpath_stop();
	return used;
}

static unsigned descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	unsigned count = 0;

	while (folder && readdir(folder))
		count++;
	closedir(folder);
	return count;
}

/* Detached threads close theirs a moment after they have told that they end. */
static bool come_back_to(unsigned before)
{
	time_t deadline = time(NULL) + 10;

	while (descriptors() != before) {
		if (time(NULL) > deadline)
			return false;
		sched_yield();
	}
	return true;
}

int main(int argc, char **argv)
{
	const struct rlimit few = { 16, 16 };
	unsigned before = descriptors();
	long long used = 0;

	sem_init(&ended, 0, 0);
	if (argc < 2 || setrlimit(RLIMIT_NOFILE, &few))
		errx(2, "usage: threads_compute KIND... | late");
	if (strcmp(argv[1], "late") == 0)
		used = run_late();
	for (int i = 0; !used && i < THREADS / AT_ONCE; i++)
		for (int kind = 1; kind < argc; kind++)
			run_kind(argv[kind]);
	if (!come_back_to(before))
		errx(2, "%u descriptors became %u", before, descriptors());
	printf("%lld\n", used ? used : used_ns());
	return 0;
}
