/* SPDX-License-Identifier: MIT */
/*
 * Every kind of lock, and every function that acquires one: what they return, and how often each lock was acquired.
 *
 * The output must be the same with the probe and without. Lines that begin with "=" are "name kind acquired".
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t early = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive, checking, robust, inheriting, adaptive, conditional, cancelled,
	forked;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spinning;
static mtx_t plain_c11, recursive_c11;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static cnd_t condition_c11;

/* The result of a call, and that it left errno alone. */
static void show(const char *what, int result)
{
	printf("%s: %s%s\n", what, result ? strerror(result) : "0",
	       errno == 77 ? "" : ", errno changed");
	errno = 77;
}

#define SHOW(call) show(#call, call)

static struct timespec in_ms(clockid_t clock, long ms)
{
	struct timespec time;

	clock_gettime(clock, &time);
	time.tv_nsec += ms * 1000000;
	time.tv_sec += time.tv_nsec / 1000000000;
	time.tv_nsec %= 1000000000;
	return time;
}

static void on_thread(void *(*function)(void *), void *argument)
{
	pthread_t thread;

	pthread_create(&thread, NULL, function, argument);
	pthread_join(thread, NULL);
}

__attribute__((constructor)) static void before_main(void)
{
	pthread_mutex_lock(&early);
	pthread_mutex_unlock(&early);
}

/* ---- mutexes ---- */

static void make(pthread_mutex_t *mutex, int type, bool is_robust, int protocol)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, type);
	if (is_robust)
		pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutexattr_setprotocol(&attributes, protocol);
	SHOW(pthread_mutex_init(mutex, &attributes));
	pthread_mutexattr_destroy(&attributes);
}

static void *try_normal(void *unused)
{
	struct timespec soon = in_ms(CLOCK_REALTIME, 5), wrong = { 0, -1 };
	struct timespec later = in_ms(CLOCK_MONOTONIC, 5);

	(void)unused;
	errno = 77;
	SHOW(pthread_mutex_trylock(&normal));
	SHOW(pthread_mutex_timedlock(&normal, &soon));
	SHOW(pthread_mutex_clocklock(&normal, CLOCK_MONOTONIC, &later));
	SHOW(pthread_mutex_clocklock(&normal, 99, &later));
	SHOW(pthread_mutex_timedlock(&normal, &wrong));
	return NULL;
}

static void use_normal(void)
{
	struct timespec wrong = { 0, -1 }, later = in_ms(CLOCK_MONOTONIC, 1000);

	SHOW(pthread_mutex_lock(&normal));
	on_thread(try_normal, NULL);
	SHOW(pthread_mutex_unlock(&normal));
	SHOW(pthread_mutex_trylock(&normal));
	SHOW(pthread_mutex_unlock(&normal));
	SHOW(pthread_mutex_timedlock(&normal, &wrong));
	SHOW(pthread_mutex_unlock(&normal));
	SHOW(pthread_mutex_clocklock(&normal, CLOCK_MONOTONIC, &later));
	SHOW(pthread_mutex_unlock(&normal));
	SHOW(pthread_mutex_clocklock(&normal, 99, &later));
	printf("= normal mutex 4\n");
}

static void *unlock_other(void *mutex)
{
	errno = 77;
	SHOW(pthread_mutex_unlock(mutex));
	SHOW(pthread_mutex_trylock(mutex));
	return NULL;
}

static void use_recursive(void)
{
	make(&recursive, PTHREAD_MUTEX_RECURSIVE, false, PTHREAD_PRIO_NONE);
	SHOW(pthread_mutex_lock(&recursive));
	SHOW(pthread_mutex_lock(&recursive));
	SHOW(pthread_mutex_trylock(&recursive));
	on_thread(unlock_other, &recursive);
	for (int i = 0; i < 3; i++)
		SHOW(pthread_mutex_unlock(&recursive));
	SHOW(pthread_mutex_unlock(&recursive));
	printf("= recursive mutex 3\n");
}

static void use_checking(void)
{
	make(&checking, PTHREAD_MUTEX_ERRORCHECK, false, PTHREAD_PRIO_NONE);
	SHOW(pthread_mutex_unlock(&checking));
	SHOW(pthread_mutex_lock(&checking));
	SHOW(pthread_mutex_lock(&checking));
	SHOW(pthread_mutex_trylock(&checking));
	on_thread(unlock_other, &checking);
	SHOW(pthread_mutex_destroy(&checking));
	SHOW(pthread_mutex_unlock(&checking));
	printf("= checking mutex 1\n");
}

static void *die_with(void *mutex)
{
	pthread_mutex_lock(mutex);
	return NULL;
}

static void use_robust(void)
{
	make(&robust, PTHREAD_MUTEX_NORMAL, true, PTHREAD_PRIO_NONE);
	on_thread(die_with, &robust);
	SHOW(pthread_mutex_lock(&robust));
	SHOW(pthread_mutex_consistent(&robust));
	SHOW(pthread_mutex_unlock(&robust));
	on_thread(die_with, &robust);
	SHOW(pthread_mutex_lock(&robust));
	SHOW(pthread_mutex_unlock(&robust));
	SHOW(pthread_mutex_lock(&robust));
	printf("= robust mutex 4\n");
}

static void use_others(void)
{
	make(&inheriting, PTHREAD_MUTEX_NORMAL, false, PTHREAD_PRIO_INHERIT);
	SHOW(pthread_mutex_lock(&inheriting));
	on_thread(unlock_other, &inheriting);
	SHOW(pthread_mutex_unlock(&inheriting));
	printf("= inheriting mutex 1\n");
	make(&adaptive, PTHREAD_MUTEX_ADAPTIVE_NP, false, PTHREAD_PRIO_NONE);
	for (int i = 0; i < 200; i++) {
		pthread_mutex_lock(&adaptive);
		pthread_mutex_unlock(&adaptive);
	}
	printf("= adaptive mutex 200\n");
}

/* ---- other locks ---- */

static void *try_shared(void *unused)
{
	struct timespec soon = in_ms(CLOCK_REALTIME, 5), later = in_ms(CLOCK_MONOTONIC, 5);
	struct timespec wrong = { 0, -1 };

	(void)unused;
	errno = 77;
	SHOW(pthread_rwlock_tryrdlock(&shared));
	SHOW(pthread_rwlock_trywrlock(&shared));
	SHOW(pthread_rwlock_timedrdlock(&shared, &soon));
	SHOW(pthread_rwlock_timedwrlock(&shared, &soon));
	SHOW(pthread_rwlock_clockrdlock(&shared, CLOCK_MONOTONIC, &later));
	SHOW(pthread_rwlock_clockwrlock(&shared, CLOCK_MONOTONIC, &later));
	SHOW(pthread_rwlock_timedwrlock(&shared, &wrong));
	SHOW(pthread_rwlock_clockwrlock(&shared, 99, &later));
	return NULL;
}

static void use_shared(void)
{
	struct timespec wrong = { 0, -1 }, later = in_ms(CLOCK_MONOTONIC, 1000);

	SHOW(pthread_rwlock_wrlock(&shared));
	SHOW(pthread_rwlock_wrlock(&shared));
	SHOW(pthread_rwlock_rdlock(&shared));
	on_thread(try_shared, NULL);
	SHOW(pthread_rwlock_unlock(&shared));
	SHOW(pthread_rwlock_rdlock(&shared));
	SHOW(pthread_rwlock_rdlock(&shared));
	SHOW(pthread_rwlock_tryrdlock(&shared));
	SHOW(pthread_rwlock_timedrdlock(&shared, &wrong));
	SHOW(pthread_rwlock_clockrdlock(&shared, CLOCK_MONOTONIC, &later));
	SHOW(pthread_rwlock_trywrlock(&shared));
	for (int i = 0; i < 4; i++)
		SHOW(pthread_rwlock_unlock(&shared));
	SHOW(pthread_rwlock_trywrlock(&shared));
	SHOW(pthread_rwlock_unlock(&shared));
	printf("= shared rwlock-read 4\n= shared rwlock-write 2\n");
}

static void *try_spinning(void *unused)
{
	(void)unused;
	errno = 77;
	SHOW(pthread_spin_trylock(&spinning));
	return NULL;
}

static void use_spinning(void)
{
	SHOW(pthread_spin_init(&spinning, PTHREAD_PROCESS_PRIVATE));
	SHOW(pthread_spin_lock(&spinning));
	on_thread(try_spinning, NULL);
	SHOW(pthread_spin_unlock(&spinning));
	SHOW(pthread_spin_trylock(&spinning));
	SHOW(pthread_spin_unlock(&spinning));
	printf("= spinning spin 2\n");
}

static int try_c11(void *unused)
{
	struct timespec soon = in_ms(CLOCK_REALTIME, 5);

	(void)unused;
	printf("C11, busy: %d %d\n", mtx_trylock(&plain_c11) == thrd_busy,
	       mtx_timedlock(&recursive_c11, &soon) == thrd_timedout);
	return 0;
}

static void use_c11(void)
{
	struct timespec later = in_ms(CLOCK_REALTIME, 1000);
	thrd_t thread;
	int sum = mtx_init(&plain_c11, mtx_plain) +
		  mtx_init(&recursive_c11, mtx_recursive | mtx_timed);

	sum += mtx_lock(&plain_c11) + mtx_lock(&recursive_c11) + mtx_lock(&recursive_c11);
	sum += mtx_timedlock(&recursive_c11, &later);
	thrd_create(&thread, try_c11, NULL);
	thrd_join(thread, NULL);
	sum += mtx_unlock(&plain_c11) + mtx_trylock(&plain_c11) + mtx_unlock(&plain_c11);
	for (int i = 0; i < 3; i++)
		sum += mtx_unlock(&recursive_c11);
	printf("C11: %d\n= plain_c11 mutex 2\n= recursive_c11 mutex 3\n", sum);
}

/* ---- conditions ---- */

static void use_conditions(void)
{
	struct timespec soon = in_ms(CLOCK_REALTIME, 50), later = in_ms(CLOCK_MONOTONIC, 50);
	struct timespec also = in_ms(CLOCK_REALTIME, 150);

	make(&conditional, PTHREAD_MUTEX_ERRORCHECK, false, PTHREAD_PRIO_NONE);
	SHOW(pthread_cond_wait(&condition, &conditional));
	SHOW(pthread_mutex_lock(&conditional));
	SHOW(pthread_cond_timedwait(&condition, &conditional, &soon));
	SHOW(pthread_cond_clockwait(&condition, &conditional, CLOCK_MONOTONIC, &later));
	SHOW(pthread_mutex_unlock(&conditional));
	printf("= conditional mutex 3\n");
	cnd_init(&condition_c11);
	mtx_lock(&plain_c11);
	printf("cnd_timedwait: %d\n",
	       cnd_timedwait(&condition_c11, &plain_c11, &also) == thrd_timedout);
	printf("mtx_unlock: %d\n", mtx_unlock(&plain_c11));
}

static void unlock_cancelled(void *mutex)
{
	errno = 77;
	SHOW(pthread_mutex_unlock(mutex));
}

static sem_t is_locked;

static void *wait_for_ever(void *mutex)
{
	pthread_mutex_lock(mutex);
	sem_post(&is_locked);
	pthread_cleanup_push(unlock_cancelled, mutex);
	for (;;)
		pthread_cond_wait(&condition, mutex);
	pthread_cleanup_pop(1);
	return NULL;
}

static void use_cancellation(void)
{
	pthread_t thread;
	void *result;

	make(&cancelled, PTHREAD_MUTEX_ERRORCHECK, false, PTHREAD_PRIO_NONE);
	sem_init(&is_locked, 0, 0);
	pthread_create(&thread, NULL, wait_for_ever, &cancelled);
	sem_wait(&is_locked);
	/* The thread has it until it waits for the condition. It is read in glibc's way, since a try would count. */
	while (__atomic_load_n(&cancelled.__data.__lock, __ATOMIC_ACQUIRE))
		sched_yield();
	pthread_cancel(thread);
	pthread_join(thread, &result);
	printf("cancelled: %d\n= cancelled mutex 2\n", result == PTHREAD_CANCELED);
}

/* ---- processes ---- */

static void use_after_fork(void)
{
	SHOW(pthread_mutex_init(&forked, NULL));
	SHOW(pthread_mutex_lock(&forked));
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		pthread_mutex_unlock(&forked);
		for (int i = 0; i < 100; i++) {
			pthread_mutex_lock(&forked);
			pthread_mutex_unlock(&forked);
		}
		_exit(0);
	}
	waitpid(child, NULL, 0);
	SHOW(pthread_mutex_unlock(&forked));
	printf("= forked mutex 1\n");
}

int main(void)
{
	errno = 77;
	use_normal();
	use_recursive();
	use_checking();
	use_robust();
	use_others();
	use_shared();
	use_spinning();
	use_c11();
	use_conditions();
	use_cancellation();
	use_after_fork();
	printf("= early mutex 1\n");
	return 0;
}
