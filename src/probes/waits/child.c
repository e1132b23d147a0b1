/* SPDX-License-Identifier: MIT */
/* Waiting for the end of a child. With WNOHANG, nothing is waited for. */
#include "blocking_call.h"

DEFINE(pid_t, wait, int *status)
{
	WAIT(ours, HP_REASON_CHILD, 0);
	return wait_result(&ours, NEXT(wait)(status));
}

DEFINE(pid_t, waitpid, pid_t child, int *status, int options)
{
	if (options & WNOHANG)
		return NEXT(waitpid)(child, status, options);
	WAIT(ours, HP_REASON_CHILD, 0);
	return wait_result(&ours, NEXT(waitpid)(child, status, options));
}

DEFINE(pid_t, wait3, int *status, int options, struct rusage *usage)
{
	if (options & WNOHANG)
		return NEXT(wait3)(status, options, usage);
	WAIT(ours, HP_REASON_CHILD, 0);
	return wait_result(&ours, NEXT(wait3)(status, options, usage));
}

DEFINE(pid_t, wait4, pid_t child, int *status, int options, struct rusage *usage)
{
	if (options & WNOHANG)
		return NEXT(wait4)(child, status, options, usage);
	WAIT(ours, HP_REASON_CHILD, 0);
	return wait_result(&ours, NEXT(wait4)(child, status, options, usage));
}

DEFINE(int, waitid, idtype_t type, id_t child, siginfo_t *info, int options)
{
	if (options & WNOHANG)
		return NEXT(waitid)(type, child, info, options);
	WAIT(ours, HP_REASON_CHILD, 0);
	return wait_result(&ours, NEXT(waitid)(type, child, info, options));
}
