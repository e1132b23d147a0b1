/* SPDX-License-Identifier: MIT */
/*
 * Threads that wait for many things and compute a little; each knows how long it had no processor and did not want one, by the
 * kernel's account: the time on the wall, less its CPU time and less the time that it queued for a processor.
 *
 * usage: off_cpu THREADS ROUNDS
 */
#include "truth.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/syscall.h>

enum { THREADS_MAX = 64, STEP_NS = 1000000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t begin;
static sem_t never;
static int rounds;

static void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = STEP_NS }, NULL);
}

/* A thread holds it while it sleeps, so that others wait for it. */
static void take_turns(void)
{
	pthread_mutex_lock(&lock);
	nap();
	pthread_mutex_unlock(&lock);
}

static void wait_in_vain(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += STEP_NS;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	sem_timedwait(&never, &until);
}

static void ask_for_nothing(void)
{
	poll(NULL, 0, 1);
}

/* A pipe that another thread writes to after a while. */
static void *write_late(void *fd)
{
	nap();
	if (write(*(int *)fd, "x", 1) != 1)
		abort();
	return NULL;
}

static void read_slowly(void)
{
	int ends[2];
	char byte;
	pthread_t writer;

	if (pipe2(ends, O_CLOEXEC) || pthread_create(&writer, NULL, write_late, &ends[1]))
		abort();
	if (read(ends[0], &byte, 1) != 1)
		abort();
	pthread_join(writer, NULL);
	close(ends[0]);
	close(ends[1]);
}

/* Without the C library's functions, so that the probe does not see it. */
static uint64_t queued_ns(void)
{
	char path[64], text[64] = "";
	unsigned long long computed = 0, queued = 0;

	snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat", (int)syscall(SYS_gettid));
	long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		(void)syscall(SYS_read, fd, text, sizeof(text) - 1);
		syscall(SYS_close, fd);
	}
	sscanf(text, "%llu %llu", &computed, &queued);
	return queued;
}

static uint64_t computed_ns(void)
{
	struct timespec cpu;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
	return (uint64_t)cpu.tv_sec * 1000000000 + (uint64_t)cpu.tv_nsec;
}

struct account {
	uint64_t waited_ns;
	uint64_t queued_ns;
};

static void *work(void *data)
{
	struct account *account = data;

	pthread_barrier_wait(&begin);
	uint64_t start = own_clock(), queued = queued_ns(), before = computed_ns() + queued;

	for (int i = 0; i < rounds; i++) {
		nap();
		take_turns();
		wait_in_vain();
		ask_for_nothing();
		read_slowly();
		spend(STEP_NS / 10);
	}
	uint64_t wall = own_clock() - start, queued_since = queued_ns();
	uint64_t busy = computed_ns() + queued_since - before;
	account->waited_ns = wall > busy ? wall - busy : 0;
	account->queued_ns = queued_since - queued;
	return NULL;
}

int main(int argc, char **argv)
{
	HOTPATH_MAIN();
	pthread_t threads[THREADS_MAX];
	struct account accounts[THREADS_MAX], sum = { 0, 0 };
	int count = argc > 2 ? atoi(argv[1]) : 0;

	if (count < 1 || count > THREADS_MAX)
		return 2;
	rounds = atoi(argv[2]);
	sem_init(&never, 0, 0);
	pthread_barrier_init(&begin, NULL, (unsigned)count);
	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, work, &accounts[i]);
	for (int i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
		sum.waited_ns += accounts[i].waited_ns;
		sum.queued_ns += accounts[i].queued_ns;
	}
	truth("@waited", sum.waited_ns);
	truth("@queued", sum.queued_ns);
	return 0;
}
