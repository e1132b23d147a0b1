/* SPDX-License-Identifier: MIT */
/*
 * Intercepts clone: a task that shares the memory of its caller may have no thread-local storage of its own. It would
 * then use the state of its caller, which is still running; so the recorder is told.
 */
#include "front.h"
#include "process/threads.h"

#include <stdarg.h>

/* Not for vfork, where the caller waits. */
static bool shares_variables(int flags)
{
	return (flags & (CLONE_VM | CLONE_SETTLS | CLONE_VFORK)) == CLONE_VM;
}

VISIBLE int clone(int (*run)(void *), void *stack, int flags, void *argument, ...)
{
	va_list rest;

	/* The flags say which of these arguments exist; the others are passed on without meaning. */
	va_start(rest, argument);
	void *parent_tid = va_arg(rest, void *), *variables = va_arg(rest, void *),
	     *child_tid = va_arg(rest, void *);
	va_end(rest);
	if (shares_variables(flags))
		hotpath__share_state();
	return NEXT(clone)(run, stack, flags, argument, parent_tid, variables, child_tid);
}
