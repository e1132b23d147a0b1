/* SPDX-License-Identifier: MIT */
/* Waiting for the end of a thread, and of an initialisation that another thread has begun. */
#include "blocking_call.h"

DEFINE(int, pthread_join, pthread_t thread, void **result)
{
	WAIT(wait, HP_REASON_JOIN, 0);
	return wait_error(&wait, NEXT(pthread_join)(thread, result));
}

DEFINE(int, pthread_timedjoin_np, pthread_t thread, void **result, const struct timespec *until)
{
	WAIT(wait, HP_REASON_JOIN, 0);
	return wait_error(&wait, NEXT(pthread_timedjoin_np)(thread, result, until));
}

DEFINE(int, pthread_clockjoin_np, pthread_t thread, void **result, clockid_t clock,
       const struct timespec *until)
{
	WAIT(wait, HP_REASON_JOIN, 0);
	return wait_error(&wait, NEXT(pthread_clockjoin_np)(thread, result, clock, until));
}

DEFINE(int, thrd_join, thrd_t thread, int *result)
{
	WAIT(wait, HP_REASON_JOIN, 0);
	int error = NEXT(thrd_join)(thread, result);
	wait.failed = error != thrd_success;
	return error;
}

/* ---- once ---- */

/*
 * In both glibc and musl, the lowest bit says that a thread runs the initialisation just now. Whoever comes then waits. Who
 * comes before runs it itself: that is no wait.
 */
static bool is_in_progress(const void *once)
{
	return load((const int *)once, RELAXED) & 1;
}

DEFINE(int, pthread_once, pthread_once_t *once, void (*initialise)(void))
{
	if (likely(!is_in_progress(once)))
		return NEXT(pthread_once)(once, initialise);
	WAIT(wait, HP_REASON_ONCE, TARGET_OF(once));
	return NEXT(pthread_once)(once, initialise);
}

DEFINE(void, call_once, once_flag *once, void (*initialise)(void))
{
	if (likely(!is_in_progress(once))) {
		NEXT(call_once)(once, initialise);
		return;
	}
	WAIT(wait, HP_REASON_ONCE, TARGET_OF(once));
	NEXT(call_once)(once, initialise);
}
