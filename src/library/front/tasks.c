/* SPDX-License-Identifier: MIT */
/*
 * A task that clone makes with the memory of its caller may have no thread-local variables of its own: then it would find
 * the state of its caller, which goes on. We stand before clone, and tell the recorder.
 */
#include "next.h"
#include "recorder.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>

/* What a vfork is, in which the caller waits, changes nothing. */
static bool shares_variables(int flags)
{
	return (flags & (CLONE_VM | CLONE_SETTLS | CLONE_VFORK)) == CLONE_VM;
}

__attribute__((visibility("default"))) int clone(int (*run)(void *), void *stack, int flags,
						 void *argument, ...)
{
	static void *next;
	int (*found)(int (*)(void *), void *, int, void *, ...) =
		(int (*)(int (*)(void *), void *, int, void *, ...))hotpath__next(&next, "clone");
	va_list rest;

	if (!found) {
		errno = ENOSYS;
		return -1;
	}
	/* Which of them there are, the flags say; the others are passed on unseen. */
	va_start(rest, argument);
	void *parent_tid = va_arg(rest, void *), *variables = va_arg(rest, void *),
	     *child_tid = va_arg(rest, void *);
	va_end(rest);
	if (shares_variables(flags))
		hotpath__share_state();
	return found(run, stack, flags, argument, parent_tid, variables, child_tid);
}
