/* SPDX-License-Identifier: MIT */
/* Barriers. The last thread that comes has a wait, too: a short one. */
#include "blocking_call.h"

DEFINE(int, pthread_barrier_init, pthread_barrier_t *barrier,
       const pthread_barrierattr_t *attributes, unsigned count)
{
	int result = NEXT(pthread_barrier_init)(barrier, attributes, count);

	if (result == 0 && waits_on())
		holds_made(barrier, FROM);
	return result;
}

DEFINE(int, pthread_barrier_destroy, pthread_barrier_t *barrier)
{
	int result = NEXT(pthread_barrier_destroy)(barrier);

	if (result == 0 && waits_on())
		holds_gone(barrier);
	return result;
}

DEFINE(int, pthread_barrier_wait, pthread_barrier_t *barrier)
{
	WAIT(wait, HP_REASON_BARRIER, TARGET_OF(barrier));
	return NEXT(pthread_barrier_wait)(barrier);
}
