/* SPDX-License-Identifier: MIT */
/*
 * A program whose threads wait for locks, and which knows for which.
 *
 * Usage: lock_states STATE
 *
 * When all threads are in the state, it prints "ready" after a line "@NAME TID" for each, and waits for the end of its input.
 */
#include <hotpath.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { THREADS_MAX = 4 };

struct worker {
	const char *name;
	void (*run)(void);
	/* It goes on to compute in place of sleeping. */
	atomic_bool computes;
	pthread_t thread;
	atomic_int tid;
	/* Its next call waits. */
	atomic_bool is_about_to;
};

static struct worker workers[THREADS_MAX];
static __thread struct worker *me;

/* All have what they hold. */
static pthread_barrier_t all_hold;
/* What workers of "handed" wait for. */
static atomic_bool may_go;

static pthread_mutex_t account_a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t account_b = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t account_c = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin_a, spin_b;
static struct hotpath_lock own_lock;

/* ---- steps ---- */

static void meet(void)
{
	pthread_barrier_wait(&all_hold);
	atomic_store(&me->is_about_to, true);
}

static void must(int result)
{
	if (result)
		abort();
}

/* The state of a thread as the kernel has it. */
static char state_of(int tid)
{
	char path[64], text[256] = "", *end;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	int file = open(path, O_RDONLY);
	ssize_t length = read(file, text, sizeof(text) - 1);
	close(file);
	end = length > 0 ? strrchr(text, ')') : NULL;
	return end ? end[2] : '?';
}

static bool is_there(struct worker *worker)
{
	return atomic_load(&worker->is_about_to) &&
	       (worker->computes || state_of(atomic_load(&worker->tid)) == 'S');
}

static void await(struct worker *worker)
{
	while (!is_there(worker))
		usleep(1000);
}

/* ---- two, and three, that wait for each other ---- */

__attribute__((noinline)) static void transfer_out(void)
{
	must(pthread_mutex_lock(&account_a));
	meet();
	must(pthread_mutex_lock(&account_b));
}

__attribute__((noinline)) static void transfer_in(void)
{
	must(pthread_mutex_lock(&account_b));
	meet();
	must(pthread_mutex_lock(&account_a));
}

__attribute__((noinline)) static void transfer_on(void)
{
	must(pthread_mutex_lock(&account_b));
	meet();
	must(pthread_mutex_lock(&account_c));
}

__attribute__((noinline)) static void transfer_back(void)
{
	must(pthread_mutex_lock(&account_c));
	meet();
	must(pthread_mutex_lock(&account_a));
}

/* Along a list of locks, as many as a lane has places for: each is released when the next one is held. Twice, since a thread
   knows a lock the second time. */
__attribute__((noinline)) static void transfer_along(void)
{
	enum { PLACES = 14 };
	static pthread_mutex_t list[PLACES];

	for (int i = 0; i < PLACES; i++)
		must(pthread_mutex_init(&list[i], NULL));
	for (int round = 0; round < 2; round++) {
		must(pthread_mutex_lock(&list[0]));
		for (int i = 1; i < PLACES; i++) {
			must(pthread_mutex_lock(&list[i]));
			must(pthread_mutex_unlock(&list[i - 1]));
		}
		must(pthread_mutex_lock(&account_a));
		must(pthread_mutex_unlock(&list[PLACES - 1]));
		if (round == 0)
			must(pthread_mutex_unlock(&account_a));
	}
	meet();
	must(pthread_mutex_lock(&account_b));
}

/* One of them would give up. */
__attribute__((noinline)) static void transfer_patiently(void)
{
	struct timespec until;

	must(pthread_mutex_lock(&account_b));
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 3600;
	meet();
	must(pthread_mutex_timedlock(&account_a, &until));
}

/* ---- readers and writers ---- */

__attribute__((noinline)) static void write_table(void)
{
	must(pthread_rwlock_wrlock(&table));
	meet();
	must(pthread_mutex_lock(&account_a));
}

__attribute__((noinline)) static void read_table(void)
{
	must(pthread_mutex_lock(&account_a));
	meet();
	must(pthread_rwlock_rdlock(&table));
}

__attribute__((noinline)) static void read_first(void)
{
	must(pthread_rwlock_rdlock(&table));
	meet();
	must(pthread_mutex_lock(&account_a));
}

__attribute__((noinline)) static void read_only(void)
{
	must(pthread_rwlock_rdlock(&table));
	meet();
	pause();
}

__attribute__((noinline)) static void write_then(void)
{
	must(pthread_mutex_lock(&account_a));
	meet();
	must(pthread_rwlock_wrlock(&table));
}

/* ---- alone ---- */

__attribute__((noinline)) static void first_time(void)
{
	must(pthread_mutex_lock(&account_a));
}

__attribute__((noinline)) static void lock_twice(void)
{
	first_time();
	meet();
	must(pthread_mutex_lock(&account_a));
}

/* ---- those that wait for one that goes on ---- */

__attribute__((noinline)) static void compute(void)
{
	must(pthread_mutex_lock(&account_a));
	meet();
	for (volatile unsigned long i = 0;; i++)
		;
}

__attribute__((noinline)) static void sleep_long(void)
{
	must(pthread_mutex_lock(&account_b));
	meet();
	pause();
}

__attribute__((noinline)) static void wait_for_computing(void)
{
	meet();
	must(pthread_mutex_lock(&account_a));
}

__attribute__((noinline)) static void wait_for_sleeping(void)
{
	meet();
	must(pthread_mutex_lock(&account_b));
}

/* ---- a lock that another thread holds by now ---- */

/* It waits for account_b, which main holds, as the second thread. */
__attribute__((noinline)) static void first_holder(void)
{
	must(pthread_mutex_lock(&account_a));
	pthread_barrier_wait(&all_hold);
	await(&workers[1]);
	atomic_store(&me->is_about_to, true);
	must(pthread_mutex_lock(&account_b));
}

/* It waits for account_b, which main holds, as the first thread; it gets that, and goes on to wait. */
__attribute__((noinline)) static void second_holder(void)
{
	meet();
	must(pthread_mutex_lock(&account_b));
	atomic_store(&me->is_about_to, false);
	while (!atomic_load(&may_go))
		usleep(1000);
	atomic_store(&me->is_about_to, true);
	must(pthread_mutex_lock(&account_a));
}

static void hand_over(void)
{
	await(&workers[1]);
	await(&workers[0]);
	must(pthread_mutex_unlock(&account_b));
	while (atomic_load(&workers[1].is_about_to))
		usleep(1000);
	atomic_store(&may_go, true);
}

/* ---- spin locks, and one of the program's own make ---- */

__attribute__((noinline)) static void spin_out(void)
{
	must(pthread_spin_lock(&spin_a));
	meet();
	must(pthread_spin_lock(&spin_b));
}

__attribute__((noinline)) static void spin_in(void)
{
	must(pthread_spin_lock(&spin_b));
	meet();
	must(pthread_spin_lock(&spin_a));
}

/* The lock is nothing but what the program tells of it; it waits by other means. */
__attribute__((noinline)) static void own_holder(void)
{
	HOTPATH_LOCK_HELD(&own_lock);
	meet();
	pause();
}

__attribute__((noinline)) static void own_waiter(void)
{
	meet();
	atomic_store(&me->is_about_to, false);
	HOTPATH_LOCK_WAIT(&own_lock);
	atomic_store(&me->is_about_to, true);
	must(pthread_mutex_lock(&account_c));
}

/* ---- waits that are over, though the lock was not acquired ---- */

__attribute__((noinline)) static void give_up(void)
{
	struct timespec until;
	pthread_mutexattr_t checks;
	pthread_mutex_t checked;

	clock_gettime(CLOCK_REALTIME, &until);
	if (pthread_mutex_timedlock(&account_a, &until) != ETIMEDOUT)
		abort();
	pthread_mutexattr_init(&checks);
	pthread_mutexattr_settype(&checks, PTHREAD_MUTEX_ERRORCHECK);
	must(pthread_mutex_init(&checked, &checks));
	must(pthread_mutex_lock(&checked));
	if (pthread_mutex_lock(&checked) != EDEADLK)
		abort();
	meet();
	pause();
}

static sigjmp_buf way_out;

static void jump_out(int signal)
{
	siglongjmp(way_out, signal);
}

__attribute__((noinline)) static void leave_by_jump(void)
{
	signal(SIGUSR1, jump_out);
	meet();
	if (!sigsetjmp(way_out, 1))
		must(pthread_mutex_lock(&account_a));
	me->computes = true;
	for (volatile unsigned long i = 0;; i++)
		;
}

__attribute__((noinline)) static void be_cancelled(void)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	meet();
	must(pthread_mutex_lock(&account_a));
}

static void make_them_leave(void)
{
	await(&workers[1]);
	must(pthread_kill(workers[1].thread, SIGUSR1));
	await(&workers[2]);
	must(pthread_cancel(workers[2].thread));
	must(pthread_join(workers[2].thread, NULL));
	workers[2].computes = true;
	while (!workers[1].computes)
		usleep(1000);
}

/* ---- all ---- */

struct state {
	const char *name;
	struct worker workers[THREADS_MAX + 1];
	/* What main does before the workers begin, and after. */
	void (*before)(void);
	void (*after)(void);
};

static void take_a(void)
{
	must(pthread_mutex_lock(&account_a));
}

static void take_b(void)
{
	must(pthread_mutex_lock(&account_b));
}

static void take_c(void)
{
	HOTPATH_LOCK_NEW(&own_lock, "own lock");
	must(pthread_mutex_lock(&account_c));
}

static void make_spin_locks(void)
{
	pthread_spin_init(&spin_a, 0);
	pthread_spin_init(&spin_b, 0);
}

static const struct state states[] = {
	{ "pair", { { "out", transfer_out }, { "in", transfer_in } } },
	{ "along", { { "out", transfer_along }, { "in", transfer_in } } },
	{ "three", { { "out", transfer_out }, { "on", transfer_on }, { "back", transfer_back } } },
	{ "writer", { { "writes", write_table }, { "reads", read_table } } },
	{ "readers", { { "reads", read_first }, { "also", read_only }, { "writes", write_then } } },
	{ "self", { { "alone", lock_twice } } },
	{ "queue",
	  { { "computes", compute, true },
	    { "sleeps", sleep_long },
	    { "first", wait_for_computing },
	    { "second", wait_for_sleeping } } },
	{ "timed", { { "out", transfer_out }, { "patient", transfer_patiently } } },
	{ "handed", { { "first", first_holder }, { "second", second_holder } }, take_b, hand_over },
	{ "spin", { { "out", spin_out, true }, { "in", spin_in, true } }, make_spin_locks },
	{ "left",
	  { { "gave_up", give_up }, { "jumped", leave_by_jump }, { "cancelled", be_cancelled } },
	  take_a,
	  make_them_leave },
	{ "own", { { "holds", own_holder }, { "waits", own_waiter } }, take_c },
};

static void *work(void *argument)
{
	me = argument;
	pthread_setname_np(pthread_self(), me->name);
	atomic_store(&me->tid, gettid());
	me->run();
	return NULL;
}

static unsigned begin(const struct state *state)
{
	unsigned count = 0;

	while (state->workers[count].name)
		count++;
	pthread_barrier_init(&all_hold, NULL, count);
	if (state->before)
		state->before();
	for (unsigned i = 0; i < count; i++) {
		workers[i] = state->workers[i];
		must(pthread_create(&workers[i].thread, NULL, work, &workers[i]));
	}
	return count;
}

/* ---- locks that are always acquired in the same order ---- */

static atomic_ulong rounds;

static void *compete(void *unused)
{
	(void)unused;
	for (;;) {
		must(pthread_mutex_lock(&account_a));
		must(pthread_mutex_lock(&account_b));
		must(pthread_mutex_unlock(&account_a));
		must(pthread_mutex_lock(&account_c));
		must(pthread_mutex_unlock(&account_b));
		must(pthread_mutex_unlock(&account_c));
		atomic_fetch_add(&rounds, 1);
	}
	return NULL;
}

static void storm(void)
{
	pthread_t thread;

	for (unsigned i = 0; i < THREADS_MAX; i++)
		must(pthread_create(&thread, NULL, compete, NULL));
	while (atomic_load(&rounds) < 1000)
		usleep(1000);
}

static void tell(unsigned count)
{
	char byte;

	for (unsigned i = 0; i < count; i++)
		printf("@%s %d\n", workers[i].name, atomic_load(&workers[i].tid));
	printf("@pid %d\nready\n", getpid());
	fflush(stdout);
	while (read(0, &byte, 1) > 0)
		;
}

int main(int count, char **arguments)
{
	const char *wanted = count > 1 ? arguments[1] : "";

	if (strcmp(wanted, "storm") == 0) {
		storm();
		tell(0);
		return 0;
	}
	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++) {
		if (strcmp(states[i].name, wanted) != 0)
			continue;
		unsigned threads = begin(&states[i]);
		if (states[i].after)
			states[i].after();
		for (unsigned j = 0; j < threads; j++)
			await(&workers[j]);
		tell(threads);
		return 0;
	}
	return 2;
}
