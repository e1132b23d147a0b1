/* SPDX-License-Identifier: MIT */
/* Semaphores. One that is free is taken by a try, and nothing is recorded: nobody has waited. */
#include "blocking_call.h"

DEFINE(int, sem_init, sem_t *semaphore, int shared, unsigned value)
{
	int result = NEXT(sem_init)(semaphore, shared, value);

	if (result == 0 && waits_on())
		holds_made(semaphore, FROM);
	return result;
}

DEFINE(int, sem_destroy, sem_t *semaphore)
{
	int result = NEXT(sem_destroy)(semaphore);

	if (result == 0 && waits_on())
		holds_gone(semaphore);
	return result;
}

/* A thread that was cancelled does not take the semaphore. */
static bool try(sem_t *semaphore)
{
	int saved_errno = errno;

	pthread_testcancel();
	if (sem_trywait(semaphore) == 0)
		return true;
	errno = saved_errno;
	return false;
}

/* A time or a clock that is not valid is an error, also if the semaphore is free. */
static bool is_valid(clockid_t clock, const struct timespec *time)
{
	return (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC) && time->tv_nsec >= 0 &&
	       time->tv_nsec < 1000000000;
}

DEFINE(int, sem_wait, sem_t *semaphore)
{
	if (likely(try(semaphore)))
		return 0;
	WAIT(wait, HP_REASON_SEMAPHORE, TARGET_OF(semaphore));
	return wait_result(&wait, NEXT(sem_wait)(semaphore));
}

DEFINE(int, sem_timedwait, sem_t *semaphore, const struct timespec *until)
{
	if (is_valid(CLOCK_REALTIME, until) && try(semaphore))
		return 0;
	WAIT(wait, HP_REASON_SEMAPHORE, TARGET_OF(semaphore));
	return wait_result(&wait, NEXT(sem_timedwait)(semaphore, until));
}

DEFINE(int, sem_clockwait, sem_t *semaphore, clockid_t clock, const struct timespec *until)
{
	if (is_valid(clock, until) && try(semaphore))
		return 0;
	WAIT(wait, HP_REASON_SEMAPHORE, TARGET_OF(semaphore));
	return wait_result(&wait, NEXT(sem_clockwait)(semaphore, clock, until));
}
