/* SPDX-License-Identifier: MIT */
/* Sleeping. */
#include "blocking_call.h"

/* Returns the seconds that are left, never an error. */
DEFINE(unsigned, sleep, unsigned seconds)
{
	WAIT(wait, HP_REASON_SLEEP, 0);
	return NEXT(sleep)(seconds);
}

DEFINE(int, usleep, useconds_t time)
{
	WAIT(wait, HP_REASON_SLEEP, 0);
	return wait_result(&wait, NEXT(usleep)(time));
}

DEFINE(int, nanosleep, const struct timespec *time, struct timespec *left)
{
	WAIT(wait, HP_REASON_SLEEP, 0);
	return wait_result(&wait, NEXT(nanosleep)(time, left));
}

DEFINE(int, clock_nanosleep, clockid_t clock, int flags, const struct timespec *time,
       struct timespec *left)
{
	WAIT(wait, HP_REASON_SLEEP, 0);
	return wait_error(&wait, NEXT(clock_nanosleep)(clock, flags, time, left));
}

/* -1 means that a signal came; other negative numbers are errors. */
DEFINE(int, thrd_sleep, const struct timespec *time, struct timespec *left)
{
	WAIT(wait, HP_REASON_SLEEP, 0);
	int result = NEXT(thrd_sleep)(time, left);
	wait.failed = result < -1;
	return result;
}
