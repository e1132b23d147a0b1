/* SPDX-License-Identifier: MIT */
/*
 * Mutexes of POSIX.
 *
 * A mutex is tried first: if it is free, nobody has to know how long that took. If the try fails, the program's own call
 * is made, and its result returned: it may be an error, as of a thread that has the mutex already.
 *
 * Robust mutexes are not tried. In glibc a try of one that is not recoverable any more leaves it locked, so that others
 * would wait for ever instead of getting the error. Whether they are free is read from them.
 */
#include "mutexes.h"

DEFINE(int, pthread_mutex_init, pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
	int result = NEXT(pthread_mutex_init)(mutex, attributes);

	if (result == 0 && holds_on())
		holds_made(mutex, FROM);
	return result;
}

/* The memory is still the caller's afterwards. A mutex that is in use is not destroyed. */
DEFINE(int, pthread_mutex_destroy, pthread_mutex_t *mutex)
{
	int result = NEXT(pthread_mutex_destroy)(mutex);

	if (result == 0 && holds_on())
		holds_gone(mutex);
	return result;
}

/* Acquire a mutex that is not robust, if it is free. */
static bool try(pthread_mutex_t *mutex, uintptr_t from)
{
	if (mutex_is_robust(mutex) || NEXT(pthread_mutex_trylock)(mutex) != 0)
		return false;
	mutex_acquired(mutex, from);
	return true;
}

/* The program's own call follows, which waits; or it may not, if the mutex is robust. */
static void begin_wait(struct waiting *waiting, const pthread_mutex_t *mutex, uintptr_t from,
		       bool is_timed)
{
	waiting->lock = NULL;
	waiting->is_timed = is_timed;
	waiting->owner = mutex_owner(mutex);
	if (!mutex_is_robust(mutex) || mutex_is_taken(mutex))
		holds_wait(waiting, mutex, &MUTEX, from);
}

static int end_wait(const struct waiting *waiting, const pthread_mutex_t *mutex, uintptr_t from,
		    int result)
{
	if (result == EOWNERDEAD)
		holds_died(mutex);
	if (waiting->lock)
		holds_waited(waiting, mutex_outcome(mutex, result));
	else if (result == 0 || result == EOWNERDEAD)
		mutex_acquired(mutex, from);
	return result;
}

/* The mutex is not free. */
SELDOM static int wait_for(pthread_mutex_t *mutex, uintptr_t from)
{
	struct waiting waiting;

	begin_wait(&waiting, mutex, from, false);
	return end_wait(&waiting, mutex, from, NEXT(pthread_mutex_lock)(mutex));
}

/* A mutex of another kind than the normal one, or one that this thread uses for the first time. */
SELDOM static int lock_other(pthread_mutex_t *mutex, uintptr_t from)
{
	if (!holds_ready(mutex, &MUTEX, from))
		return NEXT(pthread_mutex_lock)(mutex);
	return try(mutex, from) ? 0 : wait_for(mutex, from);
}

DEFINE(int, pthread_mutex_lock, pthread_mutex_t *mutex)
{
	struct quick quick;

	if (unlikely(mutex_checks(mutex) || !holds_quick(&quick, mutex)))
		return lock_other(mutex, FROM);
	if (unlikely(NEXT_KNOWN(pthread_mutex_trylock)(mutex) != 0))
		return wait_for(mutex, FROM);
	holds_acquire_at_once(&quick, FROM);
	return 0;
}

DEFINE(int, pthread_mutex_trylock, pthread_mutex_t *mutex)
{
	bool is_on = holds_ready(mutex, &MUTEX, FROM);
	int result = NEXT(pthread_mutex_trylock)(mutex);

	if (!is_on)
		return result;
	if (result == EOWNERDEAD)
		holds_died(mutex);
	if (result == 0 || result == EOWNERDEAD)
		mutex_acquired(mutex, FROM);
	else if (result == EBUSY)
		holds_refused(mutex, &MUTEX, FROM);
	return result;
}

DEFINE(int, pthread_mutex_timedlock, pthread_mutex_t *mutex, const struct timespec *until)
{
	struct waiting waiting;

	if (!holds_ready(mutex, &MUTEX, FROM))
		return NEXT(pthread_mutex_timedlock)(mutex, until);
	if (try(mutex, FROM))
		return 0;
	begin_wait(&waiting, mutex, FROM, true);
	return end_wait(&waiting, mutex, FROM, NEXT(pthread_mutex_timedlock)(mutex, until));
}

DEFINE(int, pthread_mutex_clocklock, pthread_mutex_t *mutex, clockid_t clock,
       const struct timespec *until)
{
	struct waiting waiting;

	/* An unknown clock is an error, also if the mutex is free. */
	if ((clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) ||
	    !holds_ready(mutex, &MUTEX, FROM))
		return NEXT(pthread_mutex_clocklock)(mutex, clock, until);
	if (try(mutex, FROM))
		return 0;
	begin_wait(&waiting, mutex, FROM, true);
	return end_wait(&waiting, mutex, FROM, NEXT(pthread_mutex_clocklock)(mutex, clock, until));
}

SELDOM static int unlock_other(pthread_mutex_t *mutex)
{
	struct ending ending = mutex_end(mutex);
	int result = NEXT(pthread_mutex_unlock)(mutex);

	holds_ended(&ending);
	return result;
}

DEFINE(int, pthread_mutex_unlock, pthread_mutex_t *mutex)
{
	struct quick quick;
	struct ending ending;

	if (unlikely(mutex_checks(mutex) || !holds_end_at_once(&quick, &ending, mutex)))
		return unlock_other(mutex);
	int result = NEXT_KNOWN(pthread_mutex_unlock)(mutex);
	holds_ended_at_once(&quick, &ending);
	return result;
}
