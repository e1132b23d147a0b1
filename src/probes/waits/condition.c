/* SPDX-License-Identifier: MIT */
/*
 * Condition variables: a thread that waits for a condition does not hold the mutex meanwhile.
 *
 * The C library releases the mutex and acquires it again without a function that could be wrapped. So one hold ends
 * before, and another one begins after. How long the thread waited for the mutex, once the condition was signalled, is
 * not known: it is not counted as contention.
 */
#include "mutexes.h"

struct condition {
	const pthread_mutex_t *mutex;
	uintptr_t from;
	struct ending ending;
};

static struct condition begin(const pthread_mutex_t *mutex, uintptr_t from)
{
	return (struct condition){ mutex, from, mutex_end(mutex) };
}

/* The mutex is this thread's again. */
static void end(const struct condition *condition)
{
	if (!holds_on())
		return;
	holds_owe(&condition->ending);
	if (!mutex_is_nested(condition->mutex))
		holds_acquired(condition->mutex, &MUTEX, condition->from);
}

/* A wait is a cancellation point: handlers of the program that run when the thread is cancelled hold the mutex. */
static void cancelled(void *condition)
{
	end(condition);
}

/* The mutex was not released if there was an error. */
static void end_by(const struct condition *condition, int result)
{
	if (result == 0 || result == ETIMEDOUT || result == EOWNERDEAD)
		end(condition);
}

DEFINE(int, pthread_cond_wait, pthread_cond_t *variable, pthread_mutex_t *mutex)
{
	struct condition condition = begin(mutex, FROM);
	int result;

	pthread_cleanup_push(cancelled, &condition);
	result = NEXT(pthread_cond_wait)(variable, mutex);
	pthread_cleanup_pop(0);
	end_by(&condition, result);
	return result;
}

DEFINE(int, pthread_cond_timedwait, pthread_cond_t *variable, pthread_mutex_t *mutex,
       const struct timespec *until)
{
	struct condition condition = begin(mutex, FROM);
	int result;

	pthread_cleanup_push(cancelled, &condition);
	result = NEXT(pthread_cond_timedwait)(variable, mutex, until);
	pthread_cleanup_pop(0);
	end_by(&condition, result);
	return result;
}

DEFINE(int, pthread_cond_clockwait, pthread_cond_t *variable, pthread_mutex_t *mutex,
       clockid_t clock, const struct timespec *until)
{
	struct condition condition = begin(mutex, FROM);
	int result;

	pthread_cleanup_push(cancelled, &condition);
	result = NEXT(pthread_cond_clockwait)(variable, mutex, clock, until);
	pthread_cleanup_pop(0);
	end_by(&condition, result);
	return result;
}

/* In glibc the mutexes of C11 are those of POSIX. */
DEFINE(int, cnd_wait, cnd_t *variable, mtx_t *mutex)
{
	struct condition condition = begin((const pthread_mutex_t *)(const void *)mutex, FROM);
	int result;

	pthread_cleanup_push(cancelled, &condition);
	result = NEXT(cnd_wait)(variable, mutex);
	pthread_cleanup_pop(0);
	if (result == thrd_success)
		end(&condition);
	return result;
}

DEFINE(int, cnd_timedwait, cnd_t *variable, mtx_t *mutex, const struct timespec *until)
{
	struct condition condition = begin((const pthread_mutex_t *)(const void *)mutex, FROM);
	int result;

	pthread_cleanup_push(cancelled, &condition);
	result = NEXT(cnd_timedwait)(variable, mutex, until);
	pthread_cleanup_pop(0);
	if (result == thrd_success || result == thrd_timedout)
		end(&condition);
	return result;
}
