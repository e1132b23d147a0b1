/* SPDX-License-Identifier: MIT */
/*
 * How long threads wait, by stamps of the program's own around each call.
 *
 * usage: wait_times condition|semaphore|barrier|join|once|sleep|poll|child|signal|futex THREADS ROUNDS
 */
#include "truth.h"
#include "wait_inside.h"

#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>

enum { THREADS_MAX = 64, WAIT_NS = 2000000 };

static const struct timespec a_while = { 0, WAIT_NS };

struct worker {
	pthread_t thread;
	int tid;
	/* How often it waited, and for how long. */
	uint64_t count;
	uint64_t ns;
	sem_t turn;
};

static struct worker workers[THREADS_MAX];
static int worker_count, rounds;

/* What is waited for, and the function that does it: one row of the report. */
#define ROW __attribute__((noinline, noclone)) static

#define STAMPED(worker, call)                                                                      \
	do {                                                                                       \
		uint64_t since = own_clock();                                                      \
		call;                                                                              \
		(worker)->ns += own_clock() - since;                                               \
		__atomic_add_fetch(&(worker)->count, 1, __ATOMIC_RELEASE);                         \
	} while (0)

/* ---- one thread wakes another ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t next_round = PTHREAD_COND_INITIALIZER;
static int current_round, waiting;

ROW void wait_condition(struct worker *worker, int number)
{
	pthread_mutex_lock(&mutex);
	waiting++;
	while (current_round <= number)
		STAMPED(worker, pthread_cond_wait(&next_round, &mutex));
	pthread_mutex_unlock(&mutex);
}

/* The next round begins when all threads wait for it. */
static void wake_condition(void)
{
	for (int i = 0; i < rounds;) {
		nanosleep(&a_while, NULL);
		pthread_mutex_lock(&mutex);
		if (waiting == worker_count) {
			waiting = 0;
			current_round = ++i;
			pthread_cond_broadcast(&next_round);
		}
		pthread_mutex_unlock(&mutex);
	}
}

ROW void wait_semaphore(struct worker *worker, int number)
{
	(void)number;
	STAMPED(worker, sem_wait(&worker->turn));
}

/* A thread that was woken may still be where it slept, for want of a processor: its waits so far are over first. */
static void until_waiting(const struct worker *worker, int waits)
{
	while (__atomic_load_n(&worker->count, __ATOMIC_ACQUIRE) < (uint64_t)waits)
		sched_yield();
	until_inside(&worker->tid, SYS_futex, &worker->turn, sizeof(worker->turn));
}

static void wake_semaphore(void)
{
	for (int i = 0; i < rounds; i++) {
		nanosleep(&a_while, NULL);
		for (int k = 0; k < worker_count; k++) {
			until_waiting(&workers[k], i);
			sem_post(&workers[k].turn);
		}
	}
}

/* ---- threads wait for each other ---- */

static pthread_barrier_t all;

ROW void wait_barrier(struct worker *worker, int number)
{
	if ((worker - workers + number) % worker_count == 0)
		spend(WAIT_NS);
	STAMPED(worker, pthread_barrier_wait(&all));
}

static void *sleep_a_while(void *unused)
{
	nanosleep(&a_while, NULL);
	return unused;
}

ROW void wait_join(struct worker *worker, int number)
{
	pthread_t thread;

	(void)number;
	pthread_create(&thread, NULL, sleep_a_while, NULL);
	STAMPED(worker, pthread_join(thread, NULL));
}

static struct {
	pthread_once_t once;
	int second;
} initialised;

/* It goes on for a while after the other thread has begun to wait. */
static void initialise(void)
{
	until_inside(&initialised.second, SYS_futex, &initialised.once, sizeof(initialised.once));
	spend(WAIT_NS);
}

static void *initialise_first(void *unused)
{
	pthread_once(&initialised.once, initialise);
	return unused;
}

ROW void wait_once(struct worker *worker, int number)
{
	pthread_t thread;

	(void)number;
	initialised.once = PTHREAD_ONCE_INIT;
	initialised.second = 0;
	pthread_create(&thread, NULL, initialise_first, NULL);
	while (!__atomic_load_n(&initialised.once, __ATOMIC_ACQUIRE))
		sched_yield();
	__atomic_store_n(&initialised.second, own_tid(), __ATOMIC_RELEASE);
	STAMPED(worker, pthread_once(&initialised.once, initialise));
	pthread_join(thread, NULL);
}

/* ---- a thread waits alone ---- */

ROW void wait_sleep(struct worker *worker, int number)
{
	(void)number;
	STAMPED(worker, nanosleep(&a_while, NULL));
}

ROW void wait_poll(struct worker *worker, int number)
{
	struct pollfd nothing = { -1, 0, 0 };

	(void)number;
	STAMPED(worker, poll(&nothing, 1, WAIT_NS / 1000000));
}

ROW void wait_child(struct worker *worker, int number)
{
	pid_t child = fork();

	(void)number;
	if (child == 0) {
		nanosleep(&a_while, NULL);
		_exit(0);
	}
	STAMPED(worker, waitpid(child, NULL, 0));
}

ROW void wait_signal(struct worker *worker, int number)
{
	sigset_t set;

	(void)number;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	STAMPED(worker, sigtimedwait(&set, NULL, &a_while));
}

ROW void wait_futex(struct worker *worker, int number)
{
	static int word;

	(void)number;
	STAMPED(worker, syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &a_while, NULL, 0));
}

/* ---- all ---- */

static const struct family {
	const char *name;
	void (*wait)(struct worker *worker, int number);
	void (*wake)(void);
} families[] = {
	{ "condition", wait_condition, wake_condition },
	{ "semaphore", wait_semaphore, wake_semaphore },
	{ "barrier", wait_barrier, NULL },
	{ "join", wait_join, NULL },
	{ "once", wait_once, NULL },
	{ "sleep", wait_sleep, NULL },
	{ "poll", wait_poll, NULL },
	{ "child", wait_child, NULL },
	{ "signal", wait_signal, NULL },
	{ "futex", wait_futex, NULL },
};

static const struct family *family;

/* The recorder makes what it needs for a thread at its first wait. */
ROW void warm_up(void)
{
	usleep(1);
}

static void *work(void *data)
{
	struct worker *worker = data;

	warm_up();
	__atomic_store_n(&worker->tid, own_tid(), __ATOMIC_RELEASE);
	for (int i = 0; i < rounds; i++)
		family->wait(worker, i);
	return NULL;
}

int main(int argc, char **argv)
{
	uint64_t count = 0, ns = 0;

	worker_count = argc > 3 ? atoi(argv[2]) : 0;
	if (worker_count < 1 || worker_count > THREADS_MAX)
		return 2;
	rounds = atoi(argv[3]);
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
		if (strcmp(families[i].name, argv[1]) == 0)
			family = &families[i];
	pthread_barrier_init(&all, NULL, (unsigned)worker_count);
	for (int i = 0; i < worker_count; i++) {
		sem_init(&workers[i].turn, 0, 0);
		pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	}
	if (family->wake)
		family->wake();
	for (int i = 0; i < worker_count; i++) {
		pthread_join(workers[i].thread, NULL);
		count += workers[i].count;
		ns += workers[i].ns;
	}
	truth("@count", count);
	truth("@ns", ns);
	return 0;
}
