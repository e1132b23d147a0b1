/* SPDX-License-Identifier: MIT */
/*
 * Intercepts the functions that wait for children. They tell the register of the run what an ended child has used.
 *
 * All but waitid are wait4 in the C library, with less to ask for. They remain cancellation points: nothing is done
 * between the wait and the return that could end the thread.
 */
#include "front.h"
#include "process/registration.h"
#include "process/seccomp.h"

#include <errno.h>

static bool has_ended(int status)
{
	return WIFEXITED(status) || WIFSIGNALED(status);
}

static pid_t wait_for(pid_t which, int *status, int options, struct rusage *usage)
{
	struct rusage own_usage;
	int own_status = 0;

	if (!hotpath__is_registered())
		return NEXT(wait4)(which, status, options, usage);
	status = status ? status : &own_status;
	usage = usage ? usage : &own_usage;
	pid_t child = NEXT(wait4)(which, status, options, usage);
	if (child > 0 && has_ended(*status))
		hotpath__register_reaped(child, *status, usage);
	return child;
}

VISIBLE pid_t wait(int *status)
{
	return wait_for(-1, status, 0, NULL);
}

VISIBLE pid_t waitpid(pid_t which, int *status, int options)
{
	return wait_for(which, status, options, NULL);
}

VISIBLE pid_t wait3(int *status, int options, struct rusage *usage)
{
	return wait_for(-1, status, options, usage);
}

VISIBLE pid_t wait4(pid_t which, int *status, int options, struct rusage *usage)
{
	return wait_for(which, status, options, usage);
}

/* ---- waitid ---- */

/* A status as waitpid has it. */
static int status_of(const siginfo_t *info)
{
	int core = info->si_code == CLD_DUMPED ? WCOREFLAG : 0;

	return info->si_code == CLD_EXITED ? W_EXITCODE(info->si_status, 0)
					   : (info->si_status | core);
}

static bool is_end(const siginfo_t *info)
{
	return info->si_code == CLD_EXITED || info->si_code == CLD_KILLED ||
	       info->si_code == CLD_DUMPED;
}

/* The system call, which tells what a child has used. It is no cancellation point, and does not wait here. */
static int take(idtype_t type, id_t which, siginfo_t *info, int options)
{
	struct rusage usage;
	int result = (int)syscall(SYS_waitid, type, which, info, options | WNOHANG, &usage);

	if (result == 0 && info->si_pid && is_end(info))
		hotpath__register_reaped(info->si_pid, status_of(info), &usage);
	return result;
}

/*
 * The C library's function waits for a child, and leaves it as it is. Then it is taken; if another thread was faster,
 * the wait begins again. Without a child, because of WNOHANG, there is nothing to be taken, most likely.
 */
static int wait_and_take(idtype_t type, id_t which, siginfo_t *info, int options)
{
	siginfo_t reported;
	int result;

	for (;;) {
		reported.si_pid = 0;
		result = NEXT(waitid)(type, which, &reported, options | WNOWAIT);
		if (result)
			return result;
		if (!reported.si_pid)
			return take(type, which, info, options);
		result = take(P_PID, (id_t)reported.si_pid, info, options);
		if (result ? errno != ECHILD : info->si_pid)
			return result;
	}
}

VISIBLE int waitid(idtype_t type, id_t which, siginfo_t *info, int options)
{
	int saved_errno = errno;
	siginfo_t own_info;

	if (options & WNOWAIT || hotpath__filters || !hotpath__is_registered())
		return NEXT(waitid)(type, which, info, options);
	int result = wait_and_take(type, which, info ? info : &own_info, options);
	if (result == 0)
		errno = saved_errno;
	return result;
}
