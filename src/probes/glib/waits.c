/* SPDX-License-Identifier: MIT */
/*
 * The three ways in which a main context waits: by poll, all calls of which come here; by a poll function that the
 * program has set; or in the program itself, if that calls prepare, query, check and dispatch on its own.
 */
#include "loops.h"

#include <errno.h>

/* ---- poll ---- */

DEFINE(int, poll, struct pollfd *files, nfds_t count, int timeout)
{
	struct loop *loop = loops_about_to_wait();

	if (likely(!loop))
		return NEXT(poll)(files, count, timeout);
	loops_wait(loop);
	int result = NEXT(poll)(files, count, timeout), error = errno;
	loops_wake(loop);
	errno = error;
	return result;
}

DEFINE(int, ppoll, struct pollfd *files, nfds_t count, const struct timespec *timeout,
       const sigset_t *signals)
{
	struct loop *loop = loops_about_to_wait();

	if (likely(!loop))
		return NEXT(ppoll)(files, count, timeout, signals);
	loops_wait(loop);
	int result = NEXT(ppoll)(files, count, timeout, signals), error = errno;
	loops_wake(loop);
	errno = error;
	return result;
}

/* ---- a function of the program's own ---- */

/* The poll function that was set last, for a context that the probe does not know. */
static GPollFunc any_own;

static gint wait_by_own(GPollFD *files, guint count, gint timeout)
{
	struct loop *runs = loops_current(), *loop = loops_about_to_wait();
	GPollFunc own = runs && runs->poll ? runs->poll : load(&any_own, RELAXED);

	if (!loop)
		return own(files, count, timeout);
	loops_wait(loop);
	int result = own(files, count, timeout), error = errno;
	loops_wake(loop);
	errno = error;
	return result;
}

DEFINE(void, g_main_context_set_poll_func, GMainContext *context, GPollFunc function)
{
	struct loop *loop = function ? loops_of(context) : NULL;

	if (loop) {
		loop->poll = function;
		store(&any_own, function, RELAXED);
	}
	NEXT(g_main_context_set_poll_func)(context, loop ? wait_by_own : function);
}

DEFINE(GPollFunc, g_main_context_get_poll_func, GMainContext *context)
{
	GPollFunc function = NEXT(g_main_context_get_poll_func)(context);

	return function == wait_by_own ? loops_of(context)->poll : function;
}

/* ---- by hand ---- */

/* After a query the program waits. It may call this several times before, if its array was too small. */
DEFINE(gint, g_main_context_query, GMainContext *context, gint priority, gint *timeout,
       GPollFD *files, gint count)
{
	gint result = NEXT(g_main_context_query)(context, priority, timeout, files, count);
	struct loop *loop = loops_prepare(context, FROM);

	if (loop && loop->site && !loop->waits_since)
		loops_wait(loop);
	return result;
}

DEFINE(gboolean, g_main_context_check, GMainContext *context, gint priority, GPollFD *files,
       gint count)
{
	struct loop *loop = loops_of(context);

	if (loop && loop->waits_since)
		loops_wake(loop);
	return NEXT(g_main_context_check)(context, priority, files, count);
}

DEFINE(void, g_main_context_dispatch, GMainContext *context)
{
	loops_enter(loops_of(context));
	NEXT(g_main_context_dispatch)(context);
	loops_leave();
}
