/* SPDX-License-Identifier: MIT */
/*
 * Waiting for descriptors. With a timeout of 0, nothing is waited for; without descriptors, these are ways to sleep.
 *
 * There is no name for a set of descriptors, so these waits have no target.
 */
#include "blocking_call.h"

static bool is_zero(const struct timespec *time)
{
	return time && time->tv_sec == 0 && time->tv_nsec == 0;
}

static enum hp_reason reason_of(bool has_descriptors)
{
	return has_descriptors ? HP_REASON_POLL : HP_REASON_SLEEP;
}

/* ---- poll ---- */

DEFINE(int, poll, struct pollfd *descriptors, nfds_t count, int timeout)
{
	if (timeout == 0)
		return NEXT(poll)(descriptors, count, timeout);
	WAIT(wait, reason_of(count), 0);
	return wait_result(&wait, NEXT(poll)(descriptors, count, timeout));
}

DEFINE(int, __poll, struct pollfd *descriptors, nfds_t count, int timeout)
{
	if (timeout == 0)
		return NEXT(__poll)(descriptors, count, timeout);
	WAIT(wait, reason_of(count), 0);
	return wait_result(&wait, NEXT(__poll)(descriptors, count, timeout));
}

DEFINE(int, ppoll, struct pollfd *descriptors, nfds_t count, const struct timespec *timeout,
       const sigset_t *signals)
{
	if (is_zero(timeout))
		return NEXT(ppoll)(descriptors, count, timeout, signals);
	WAIT(wait, reason_of(count), 0);
	return wait_result(&wait, NEXT(ppoll)(descriptors, count, timeout, signals));
}

/* With _FORTIFY_SOURCE. In a static C library these call the functions above, which record the wait. */
#ifdef HOTPATH_WRAP
enum { IS_RECORDED_INSIDE = true };
#else
enum { IS_RECORDED_INSIDE = false };
#endif

DEFINE(int, __poll_chk, struct pollfd *descriptors, nfds_t count, int timeout, size_t size)
{
	if (IS_RECORDED_INSIDE || timeout == 0)
		return NEXT(__poll_chk)(descriptors, count, timeout, size);
	WAIT(wait, reason_of(count), 0);
	return wait_result(&wait, NEXT(__poll_chk)(descriptors, count, timeout, size));
}

DEFINE(int, __ppoll_chk, struct pollfd *descriptors, nfds_t count, const struct timespec *timeout,
       const sigset_t *signals, size_t size)
{
	if (IS_RECORDED_INSIDE || is_zero(timeout))
		return NEXT(__ppoll_chk)(descriptors, count, timeout, signals, size);
	WAIT(wait, reason_of(count), 0);
	return wait_result(&wait, NEXT(__ppoll_chk)(descriptors, count, timeout, signals, size));
}

/* ---- select ---- */

static bool is_now(const struct timeval *time)
{
	return time && time->tv_sec == 0 && time->tv_usec == 0;
}

static bool has_any(int count, const fd_set *reads, const fd_set *writes, const fd_set *errors)
{
	return count > 0 && (reads || writes || errors);
}

DEFINE(int, select, int count, fd_set *reads, fd_set *writes, fd_set *errors,
       struct timeval *timeout)
{
	if (is_now(timeout))
		return NEXT(select)(count, reads, writes, errors, timeout);
	WAIT(wait, reason_of(has_any(count, reads, writes, errors)), 0);
	return wait_result(&wait, NEXT(select)(count, reads, writes, errors, timeout));
}

DEFINE(int, __select, int count, fd_set *reads, fd_set *writes, fd_set *errors,
       struct timeval *timeout)
{
	if (is_now(timeout))
		return NEXT(__select)(count, reads, writes, errors, timeout);
	WAIT(wait, reason_of(has_any(count, reads, writes, errors)), 0);
	return wait_result(&wait, NEXT(__select)(count, reads, writes, errors, timeout));
}

DEFINE(int, pselect, int count, fd_set *reads, fd_set *writes, fd_set *errors,
       const struct timespec *timeout, const sigset_t *signals)
{
	if (is_zero(timeout))
		return NEXT(pselect)(count, reads, writes, errors, timeout, signals);
	WAIT(wait, reason_of(has_any(count, reads, writes, errors)), 0);
	return wait_result(&wait, NEXT(pselect)(count, reads, writes, errors, timeout, signals));
}

/* ---- epoll ---- */

DEFINE(int, epoll_wait, int epoll, struct epoll_event *events, int count, int timeout)
{
	if (timeout == 0)
		return NEXT(epoll_wait)(epoll, events, count, timeout);
	WAIT(wait, HP_REASON_POLL, 0);
	return wait_result(&wait, NEXT(epoll_wait)(epoll, events, count, timeout));
}

DEFINE(int, epoll_pwait, int epoll, struct epoll_event *events, int count, int timeout,
       const sigset_t *signals)
{
	if (timeout == 0)
		return NEXT(epoll_pwait)(epoll, events, count, timeout, signals);
	WAIT(wait, HP_REASON_POLL, 0);
	return wait_result(&wait, NEXT(epoll_pwait)(epoll, events, count, timeout, signals));
}

#ifdef WAITS_EPOLL_PWAIT2
DEFINE(int, epoll_pwait2, int epoll, struct epoll_event *events, int count,
       const struct timespec *timeout, const sigset_t *signals)
{
	if (is_zero(timeout))
		return NEXT(epoll_pwait2)(epoll, events, count, timeout, signals);
	WAIT(wait, HP_REASON_POLL, 0);
	return wait_result(&wait, NEXT(epoll_pwait2)(epoll, events, count, timeout, signals));
}
#endif
