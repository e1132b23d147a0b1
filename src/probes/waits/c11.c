/* SPDX-License-Identifier: MIT */
/* Mutexes of C11. In glibc they are those of POSIX, whose functions it calls without the dynamic linker. */
#include "mutexes.h"

static const pthread_mutex_t *posix(const mtx_t *mutex)
{
	return (const pthread_mutex_t *)(const void *)mutex;
}

static enum outcome outcome_of(const mtx_t *mutex, int result)
{
	if (result == thrd_success)
		return mutex_is_nested(posix(mutex)) ? AGAIN : ACQUIRED;
	return result == thrd_timedout ? IN_VAIN : FAILED;
}

DEFINE(int, mtx_init, mtx_t *mutex, int type)
{
	int result = NEXT(mtx_init)(mutex, type);

	if (result == thrd_success && holds_on())
		holds_made(mutex, FROM);
	return result;
}

DEFINE(void, mtx_destroy, mtx_t *mutex)
{
	NEXT(mtx_destroy)(mutex);
	if (holds_on())
		holds_gone(mutex);
}

static bool try(mtx_t *mutex, uintptr_t from, int *result)
{
	*result = NEXT(mtx_trylock)(mutex);
	if (*result != thrd_success)
		return false;
	mutex_acquired(posix(mutex), from);
	return true;
}

DEFINE(int, mtx_lock, mtx_t *mutex)
{
	struct waiting waiting = { .owner = mutex_owner(posix(mutex)) };
	int result;

	if (!holds_ready(mutex, &MUTEX, FROM))
		return NEXT(mtx_lock)(mutex);
	if (try(mutex, FROM, &result))
		return result;
	holds_wait(&waiting, mutex, &MUTEX, FROM);
	result = NEXT(mtx_lock)(mutex);
	holds_waited(&waiting, outcome_of(mutex, result));
	return result;
}

DEFINE(int, mtx_trylock, mtx_t *mutex)
{
	int result;

	if (!holds_ready(mutex, &MUTEX, FROM))
		return NEXT(mtx_trylock)(mutex);
	if (!try(mutex, FROM, &result) && result == thrd_busy)
		holds_refused(mutex, &MUTEX, FROM);
	return result;
}

DEFINE(int, mtx_timedlock, mtx_t *mutex, const struct timespec *until)
{
	struct waiting waiting = { .is_timed = true, .owner = mutex_owner(posix(mutex)) };
	int result;

	if (!holds_ready(mutex, &MUTEX, FROM))
		return NEXT(mtx_timedlock)(mutex, until);
	if (try(mutex, FROM, &result))
		return result;
	holds_wait(&waiting, mutex, &MUTEX, FROM);
	result = NEXT(mtx_timedlock)(mutex, until);
	holds_waited(&waiting, outcome_of(mutex, result));
	return result;
}

DEFINE(int, mtx_unlock, mtx_t *mutex)
{
	struct ending ending = mutex_end(posix(mutex));
	int result = NEXT(mtx_unlock)(mutex);

	holds_ended(&ending);
	return result;
}
