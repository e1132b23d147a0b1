/* SPDX-License-Identifier: MIT */
/* Waiting for a signal. */
#include "blocking_call.h"

DEFINE(int, pause, void)
{
	WAIT(wait, HP_REASON_SIGNAL, 0);
	return wait_result(&wait, NEXT(pause)());
}

DEFINE(int, sigsuspend, const sigset_t *signals)
{
	WAIT(wait, HP_REASON_SIGNAL, 0);
	return wait_result(&wait, NEXT(sigsuspend)(signals));
}

DEFINE(int, sigwait, const sigset_t *signals, int *signal)
{
	WAIT(wait, HP_REASON_SIGNAL, 0);
	return wait_error(&wait, NEXT(sigwait)(signals, signal));
}

DEFINE(int, sigwaitinfo, const sigset_t *signals, siginfo_t *info)
{
	WAIT(wait, HP_REASON_SIGNAL, 0);
	return wait_result(&wait, NEXT(sigwaitinfo)(signals, info));
}

/* EAGAIN means that the time is over. If it was 0, nothing was waited for. */
DEFINE(int, sigtimedwait, const sigset_t *signals, siginfo_t *info, const struct timespec *time)
{
	if (time && time->tv_sec == 0 && time->tv_nsec == 0)
		return NEXT(sigtimedwait)(signals, info, time);
	WAIT(wait, HP_REASON_SIGNAL, 0);
	int result = NEXT(sigtimedwait)(signals, info, time);
	if (result != -1 || errno != EAGAIN)
		wait_result(&wait, result);
	return result;
}
