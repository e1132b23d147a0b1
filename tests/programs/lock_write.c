/* SPDX-License-Identifier: MIT */
/*
 * Many threads, each too short to be looked at often, that lock and write: most of the time is the kernel's.
 *
 * usage: lock_write FILE
 *
 * Prints user and system time of the process in nanoseconds, as the kernel counts them.
 */
#include "compute.h"

#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

enum { ROUNDS = 100, THREADS = 4, WRITES = 300, MILLISECONDS = 50 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int file;

static void *write_some(void *unused)
{
	static const char bytes[4096];

	for (int i = 0; i < WRITES; i++) {
		pthread_mutex_lock(&lock);
		if (pwrite(file, bytes, sizeof(bytes), 0) != sizeof(bytes))
			err(2, "write");
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

static void run_round(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, write_some, NULL))
			errx(2, "no thread");
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static long long ns(struct timeval time)
{
	return time.tv_sec * 1000000000LL + time.tv_usec * 1000LL;
}

int main(int argc, char **argv)
{
	struct rusage usage;

	file = argc == 2 ? open(argv[1], O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;
	if (file < 0)
		errx(2, "usage: lock_write FILE");
	/* Something is seen: without a sample, nothing is recorded. */
	compute(MILLISECONDS);
	for (int i = 0; i < ROUNDS; i++)
		run_round();
	getrusage(RUSAGE_SELF, &usage);
	printf("%lld %lld\n", ns(usage.ru_utime), ns(usage.ru_stime));
	return 0;
}
