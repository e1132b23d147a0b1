/* SPDX-License-Identifier: MIT */
/*
 * Intercepts pthread_setname_np: most threads name themselves after they have begun. The name of a thread that is never
 * sampled and never waits would otherwise be known only when it ends, and not at all in a program that is killed.
 */
#include "front.h"
#include "process/threads.h"

#include <errno.h>
#include <pthread.h>

VISIBLE int pthread_setname_np(pthread_t thread, const char *name)
{
	int error = NEXT(pthread_setname_np)(thread, name);

	if (!error && pthread_equal(thread, pthread_self())) {
		int before = errno;
		hotpath__thread_renamed();
		errno = before;
	}
	return error;
}
