/* SPDX-License-Identifier: MIT */
/*
 * A call that waits for something but a lock: a condition, a time, a descriptor, a child.
 *
 *	DEFINE(int, nanosleep, const struct timespec *time, struct timespec *left)
 *	{
 *		WAIT(wait, HP_REASON_SLEEP, 0);
 *		return wait_result(&wait, NEXT(nanosleep)(time, left));
 *	}
 *
 * The wait ends with the scope of its variable, also if the thread is cancelled meanwhile: the probe is compiled with
 * -fexceptions, so the unwinder ends it. Nothing is registered with the C library, as pthread_cleanup_push would do it
 * without that option: a signal handler may leave the call by siglongjmp.
 */
#ifndef WAITS_BLOCKING_CALL_H
#define WAITS_BLOCKING_CALL_H

#include "holds.h"
#include "libc.h"

#include "probe.h"

#include <errno.h>

#ifndef __EXCEPTIONS
#error "a cancelled thread must end its waits: compile with -fexceptions"
#endif

#pragma GCC visibility push(hidden)

struct wait {
	/* Its `since` is 0 when the wait is not recorded. */
	struct hotpath__blocking blocking;
	/* The site of the row that it is counted in. */
	uint32_t edge;
	/* The call failed, and did not wait. */
	bool failed;
};

/** Whether such waits are recorded at all, and this is a call of the program's. */
bool waits_on(void);

/** Begin one; `target` is the site of what is waited for, 0 for none, and `from` the return address of the call. */
struct wait wait_begin(enum hp_reason reason, uint32_t target, uintptr_t from);

/** The end of its scope. And of one that ends with a mutex acquired: it is recorded when that is released. */
void wait_end(struct wait *wait);
void wait_end_locked(struct wait *wait);

#pragma GCC visibility pop

#define WAIT(name, reason, target) WAIT_UNTIL(wait_end, name, reason, target)
#define WAIT_UNTIL(end, name, reason, target)                                                      \
	struct wait name __attribute__((cleanup(end), unused)) = wait_begin(reason, target, FROM)

/** The site of a condition variable or the like, for WAIT. */
#define TARGET_OF(object) (waits_on() ? holds_target(object, FROM) : 0)

/** Take note of an error number that the call has returned. After these, it has waited: the time was over, a signal came, or
   the owner of the mutex had died. */
static inline int wait_error(struct wait *wait, int error)
{
	wait->failed = error && error != ETIMEDOUT && error != EINTR && error != EOWNERDEAD;
	return error;
}

/** The same, of a call that returns -1, and has the error in errno. */
static inline int wait_result(struct wait *wait, int result)
{
	if (result == -1)
		wait_error(wait, errno);
	return result;
}

#endif
