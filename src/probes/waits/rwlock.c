/* SPDX-License-Identifier: MIT */
/* Locks for readers and writers. */
#include "holds.h"
#include "libc.h"

#include <errno.h>

static enum outcome outcome_of(int result)
{
	if (result == 0)
		return ACQUIRED;
	return result == ETIMEDOUT ? IN_VAIN : FAILED;
}

DEFINE(int, pthread_rwlock_init, pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes)
{
	int result = NEXT(pthread_rwlock_init)(lock, attributes);

	if (result == 0 && holds_on())
		holds_made(lock, FROM);
	return result;
}

DEFINE(int, pthread_rwlock_destroy, pthread_rwlock_t *lock)
{
	int result = NEXT(pthread_rwlock_destroy)(lock);

	if (result == 0 && holds_on())
		holds_gone(lock);
	return result;
}

/* A time or a clock that is not valid is an error, also if the lock is free. */
static bool is_time(const struct timespec *time)
{
	return time->tv_nsec >= 0 && time->tv_nsec < 1000000000;
}

static bool is_clock(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

/* Returns whether the lock was free for this. */
static bool try(pthread_rwlock_t *lock, const struct lock_kind *kind, uintptr_t from, int *result)
{
	*result = kind->mode == ALONE ? NEXT(pthread_rwlock_trywrlock)(lock)
				      : NEXT(pthread_rwlock_tryrdlock)(lock);
	if (*result == 0)
		holds_acquired(lock, kind, from);
	return *result == 0;
}

/* glibc knows the writer that has the lock. */
static void begin_wait(struct waiting *waiting, const pthread_rwlock_t *lock,
		       const struct lock_kind *kind, uintptr_t from, bool is_timed)
{
	waiting->is_timed = is_timed;
	waiting->owner = 0;
#ifdef __GLIBC__
	waiting->owner = (uint32_t)load(&lock->__data.__cur_writer, RELAXED);
#endif
	holds_wait(waiting, lock, kind, from);
}

/* ---- reading ---- */

DEFINE(int, pthread_rwlock_rdlock, pthread_rwlock_t *lock)
{
	struct waiting waiting;
	int result;

	if (!holds_ready(lock, &READ_LOCK, FROM))
		return NEXT(pthread_rwlock_rdlock)(lock);
	if (try(lock, &READ_LOCK, FROM, &result))
		return result;
	begin_wait(&waiting, lock, &READ_LOCK, FROM, false);
	result = NEXT(pthread_rwlock_rdlock)(lock);
	holds_waited(&waiting, outcome_of(result));
	return result;
}

DEFINE(int, pthread_rwlock_tryrdlock, pthread_rwlock_t *lock)
{
	int result;

	if (!holds_ready(lock, &READ_LOCK, FROM))
		return NEXT(pthread_rwlock_tryrdlock)(lock);
	if (!try(lock, &READ_LOCK, FROM, &result) && result == EBUSY)
		holds_refused(lock, &READ_LOCK, FROM);
	return result;
}

DEFINE(int, pthread_rwlock_timedrdlock, pthread_rwlock_t *lock, const struct timespec *until)
{
	struct waiting waiting;
	int result;

	if (!is_time(until) || !holds_ready(lock, &READ_LOCK, FROM))
		return NEXT(pthread_rwlock_timedrdlock)(lock, until);
	if (try(lock, &READ_LOCK, FROM, &result))
		return result;
	begin_wait(&waiting, lock, &READ_LOCK, FROM, true);
	result = NEXT(pthread_rwlock_timedrdlock)(lock, until);
	holds_waited(&waiting, outcome_of(result));
	return result;
}

DEFINE(int, pthread_rwlock_clockrdlock, pthread_rwlock_t *lock, clockid_t clock,
       const struct timespec *until)
{
	struct waiting waiting;
	int result;

	if (!is_clock(clock) || !is_time(until) || !holds_ready(lock, &READ_LOCK, FROM))
		return NEXT(pthread_rwlock_clockrdlock)(lock, clock, until);
	if (try(lock, &READ_LOCK, FROM, &result))
		return result;
	begin_wait(&waiting, lock, &READ_LOCK, FROM, true);
	result = NEXT(pthread_rwlock_clockrdlock)(lock, clock, until);
	holds_waited(&waiting, outcome_of(result));
	return result;
}

/* ---- writing ---- */

DEFINE(int, pthread_rwlock_wrlock, pthread_rwlock_t *lock)
{
	struct waiting waiting;
	int result;

	if (!holds_ready(lock, &WRITE_LOCK, FROM))
		return NEXT(pthread_rwlock_wrlock)(lock);
	if (try(lock, &WRITE_LOCK, FROM, &result))
		return result;
	begin_wait(&waiting, lock, &WRITE_LOCK, FROM, false);
	result = NEXT(pthread_rwlock_wrlock)(lock);
	holds_waited(&waiting, outcome_of(result));
	return result;
}

DEFINE(int, pthread_rwlock_trywrlock, pthread_rwlock_t *lock)
{
	int result;

	if (!holds_ready(lock, &WRITE_LOCK, FROM))
		return NEXT(pthread_rwlock_trywrlock)(lock);
	if (!try(lock, &WRITE_LOCK, FROM, &result) && result == EBUSY)
		holds_refused(lock, &WRITE_LOCK, FROM);
	return result;
}

DEFINE(int, pthread_rwlock_timedwrlock, pthread_rwlock_t *lock, const struct timespec *until)
{
	struct waiting waiting;
	int result;

	if (!is_time(until) || !holds_ready(lock, &WRITE_LOCK, FROM))
		return NEXT(pthread_rwlock_timedwrlock)(lock, until);
	if (try(lock, &WRITE_LOCK, FROM, &result))
		return result;
	begin_wait(&waiting, lock, &WRITE_LOCK, FROM, true);
	result = NEXT(pthread_rwlock_timedwrlock)(lock, until);
	holds_waited(&waiting, outcome_of(result));
	return result;
}

DEFINE(int, pthread_rwlock_clockwrlock, pthread_rwlock_t *lock, clockid_t clock,
       const struct timespec *until)
{
	struct waiting waiting;
	int result;

	if (!is_clock(clock) || !is_time(until) || !holds_ready(lock, &WRITE_LOCK, FROM))
		return NEXT(pthread_rwlock_clockwrlock)(lock, clock, until);
	if (try(lock, &WRITE_LOCK, FROM, &result))
		return result;
	begin_wait(&waiting, lock, &WRITE_LOCK, FROM, true);
	result = NEXT(pthread_rwlock_clockwrlock)(lock, clock, until);
	holds_waited(&waiting, outcome_of(result));
	return result;
}

DEFINE(int, pthread_rwlock_unlock, pthread_rwlock_t *lock)
{
	struct ending ending = holds_on() ? holds_end(lock, false) : (struct ending){ 0, 0, 0 };
	int result = NEXT(pthread_rwlock_unlock)(lock);

	holds_ended(&ending);
	return result;
}
