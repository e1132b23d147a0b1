/* SPDX-License-Identifier: MIT */
/*
 * Intercepts clone: a task that shares the memory of its caller may have no thread-local storage of its own. It would
 * then use the state of its caller, which is still running; so the recorder is told.
 */
#include "next.h"
#include "process/threads.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>

/* Not for vfork, where the caller waits. */
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
	/* The flags say which of these arguments exist; the others are passed on without meaning. */
	va_start(rest, argument);
	void *parent_tid = va_arg(rest, void *), *variables = va_arg(rest, void *),
	     *child_tid = va_arg(rest, void *);
	va_end(rest);
	if (shares_variables(flags))
		hotpath__share_state();
	return found(run, stack, flags, argument, parent_tid, variables, child_tid);
}
