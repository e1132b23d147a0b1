/* SPDX-License-Identifier: MIT */
/*
 * Condition variables: a thread that waits for a condition does not hold the mutex meanwhile.
 *
 * The C library releases the mutex and acquires it again without a function that could be wrapped. So one hold ends
 * before, and another one begins after. How long the thread waited for the mutex, once the condition was signalled, is
 * not known: it is part of the wait for the condition, and not counted as contention.
 */
#include "blocking_call.h"
#include "mutexes.h"

/* ---- creation and end ---- */

DEFINE(int, pthread_cond_init, pthread_cond_t *variable, const pthread_condattr_t *attributes)
{
	int result = NEXT(pthread_cond_init)(variable, attributes);

	if (result == 0 && waits_on())
		holds_made(variable, FROM);
	return result;
}

DEFINE(int, pthread_cond_destroy, pthread_cond_t *variable)
{
	int result = NEXT(pthread_cond_destroy)(variable);

	if (result == 0 && waits_on())
		holds_gone(variable);
	return result;
}

DEFINE(int, cnd_init, cnd_t *variable)
{
	int result = NEXT(cnd_init)(variable);

	if (result == thrd_success && waits_on())
		holds_made(variable, FROM);
	return result;
}

DEFINE(void, cnd_destroy, cnd_t *variable)
{
	NEXT(cnd_destroy)(variable);
	if (waits_on())
		holds_gone(variable);
}

/* ---- waiting ---- */

struct pause {
	const pthread_mutex_t *mutex;
	uintptr_t from;
	struct ending ending;
	/* There was an error, and the mutex was not released. */
	bool failed;
};

static struct pause begin(const pthread_mutex_t *mutex, uintptr_t from)
{
	return (struct pause){ mutex, from, mutex_end(mutex), false };
}

/* The mutex is this thread's again. A wait is a cancellation point: handlers of the program that run when the thread is
   cancelled hold the mutex, too. */
static void end(struct pause *pause)
{
	if (pause->failed || !holds_on())
		return;
	holds_owe(&pause->ending);
	if (!mutex_is_nested(pause->mutex))
		holds_acquired(pause->mutex, &MUTEX, pause->from);
}

/* Declares the pause of the hold, and the wait in it: `pause` and `wait`. */
#define PAUSE(variable, mutex)                                                                     \
	uint32_t target = TARGET_OF(variable);                                                     \
	struct pause pause __attribute__((cleanup(end))) = begin(mutex, FROM);                     \
	WAIT_UNTIL(wait_end_locked, wait, HP_REASON_CONDITION, target)

static int note(struct pause *pause, struct wait *wait, int error)
{
	wait_error(wait, error);
	pause->failed = wait->failed;
	return error;
}

DEFINE(int, pthread_cond_wait, pthread_cond_t *variable, pthread_mutex_t *mutex)
{
	PAUSE(variable, mutex);
	return note(&pause, &wait, NEXT(pthread_cond_wait)(variable, mutex));
}

DEFINE(int, pthread_cond_timedwait, pthread_cond_t *variable, pthread_mutex_t *mutex,
       const struct timespec *until)
{
	PAUSE(variable, mutex);
	return note(&pause, &wait, NEXT(pthread_cond_timedwait)(variable, mutex, until));
}

DEFINE(int, pthread_cond_clockwait, pthread_cond_t *variable, pthread_mutex_t *mutex,
       clockid_t clock, const struct timespec *until)
{
	PAUSE(variable, mutex);
	return note(&pause, &wait, NEXT(pthread_cond_clockwait)(variable, mutex, clock, until));
}

/* ---- C11 ---- */

/* In glibc the mutexes of C11 are those of POSIX. */
static const pthread_mutex_t *posix(const mtx_t *mutex)
{
	return (const pthread_mutex_t *)(const void *)mutex;
}

static int note_c11(struct pause *pause, struct wait *wait, int result)
{
	note(pause, wait, result == thrd_success || result == thrd_timedout ? 0 : EINVAL);
	return result;
}

DEFINE(int, cnd_wait, cnd_t *variable, mtx_t *mutex)
{
	PAUSE(variable, posix(mutex));
	return note_c11(&pause, &wait, NEXT(cnd_wait)(variable, mutex));
}

DEFINE(int, cnd_timedwait, cnd_t *variable, mtx_t *mutex, const struct timespec *until)
{
	PAUSE(variable, posix(mutex));
	return note_c11(&pause, &wait, NEXT(cnd_timedwait)(variable, mutex, until));
}
