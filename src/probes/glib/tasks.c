/* SPDX-License-Identifier: MIT */
/*
 * GTask: each is a future, from when it is made until its result is handed over.
 *
 *	g_task_new ── g_task_run_in_thread ─► waits for a thread ─► its function ── g_task_return ─► its callback
 *	                                                            a poll                         a poll
 *
 * GLib gets functions of ours as thread function and callback, which call the program's with the same arguments:
 * nothing that a program can see of a task is changed. Tasks that GLib creates in its own functions are not observed,
 * because its internal calls do not go through the probe.
 */
#include "tasks.h"

#include "objects.h"
#include "probe.h"

#include <stdarg.h>

static GQuark key(void)
{
	static GQuark known;

	if (unlikely(!load(&known, RELAXED)))
		store(&known, NEXT(g_quark_from_static_string)("hotpath-task"), RELAXED);
	return known;
}

/* The data of a task; NULL when the probe has not seen its creation. */
static struct task *find(GTask *task)
{
	return task ? NEXT(g_object_get_qdata)((GObject *)task, key()) : NULL;
}

/* ---- its end ---- */

static void end(struct task *known, bool is_cancelled)
{
	/* ACQ_REL: only the first thread ends the future, after all that others did with it. */
	if (exchange(&known->has_ended, true, ACQ_REL))
		return;
	if (is_cancelled)
		hotpath_future_cancel(&known->future);
	else
		hotpath_future_ready(&known->future);
}

/* Whether the result of a task is that it was cancelled. */
static bool is_cancelled(GTask *task, const struct task *known)
{
	return load(&known->outcome, RELAXED) == OUTCOME_CANCELLED ||
	       (NEXT(g_task_get_check_cancellable)(task) &&
		NEXT(g_cancellable_is_cancelled)(NEXT(g_task_get_cancellable)(task)));
}

/* The task has a result. If no callback waits for it, this is its end. */
static void returns(GTask *task, enum outcome outcome)
{
	struct task *known = find(task);

	if (!known)
		return;
	store(&known->outcome, outcome, RELAXED);
	if (!known->is_awaited)
		end(known, is_cancelled(task, known));
}

/* The task is freed: if it never had a result, it was dropped. */
static void forget(gpointer data)
{
	struct task *known = data;

	end(known, known->outcome != OUTCOME_READY);
	task_give_back(known);
}

/* ---- its functions ---- */

/* Begin a poll; false if another thread is in a function of this task already, as when a cancelled task hands over
   its result early. */
static bool begin_poll(struct hotpath_poll *poll, struct task *known)
{
	if (load(&known->has_ended, ACQUIRE) || exchange(&known->is_polled, true, ACQUIRE))
		return false;
	hotpath_poll_begin(poll, &known->future);
	return true;
}

static void end_poll(struct hotpath_poll *poll, struct task *known)
{
	hotpath_poll_end(poll);
	/* RELEASE pairs with ACQUIRE of begin_poll. */
	store(&known->is_polled, false, RELEASE);
}

/* Our callback: the result is handed over. GLib holds a reference to the task until we return. */
static void hand_over(GObject *source, GAsyncResult *result, gpointer data)
{
	struct task *known = find((GTask *)result);
	struct hotpath_poll poll;
	bool is_polled = begin_poll(&poll, known);

	end(known, is_cancelled((GTask *)result, known));
	known->callback(source, result, data);
	if (is_polled)
		end_poll(&poll, known);
}

/* Our thread function, in a thread of GLib's pool. */
static void serve(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
	struct task *known = find(task);
	struct hotpath_poll poll;
	uint64_t begun = hotpath__probe_ticks();
	bool is_polled = begin_poll(&poll, known);

	known->work(task, source, data, cancellable);
	if (is_polled)
		end_poll(&poll, known);
	hotpath__future_served(&known->future, begun - known->lined_up,
			       hotpath__probe_ticks() - begun);
}

/* ---- what the program calls ---- */

/* Begin a future for a task; NULL when nothing is recorded. Its site is that of the callback, or without one that
   of its creator. */
static struct task *begin(GAsyncReadyCallback callback, uintptr_t from)
{
	struct hotpath_site site = { .name = "GTask", .kind = HOTPATH_SITE_FUTURE };

	site.id = objects_site(HP_SITE_FUTURE, site.name, callback ? (uintptr_t)callback : from);
	struct task *known = site.id ? task_take() : NULL;
	if (site.id && !known)
		hotpath__probe_lost();
	if (!known)
		return NULL;
	known->callback = callback;
	known->is_awaited = callback;
	hotpath_future_new(&known->future, &site);
	return known;
}

DEFINE(GTask *, g_task_new, gpointer source, GCancellable *cancellable,
       GAsyncReadyCallback callback, gpointer data)
{
	struct task *known = begin(callback, FROM);
	GTask *task = NEXT(g_task_new)(source, cancellable,
				       known && callback ? hand_over : callback, data);

	if (known)
		NEXT(g_object_set_qdata_full)((GObject *)task, key(), known, forget);
	return task;
}

static struct task *line_up(GTask *task, GTaskThreadFunc work)
{
	struct task *known = find(task);

	if (known) {
		known->work = work;
		known->lined_up = hotpath__probe_ticks();
	}
	return known;
}

DEFINE(void, g_task_run_in_thread, GTask *task, GTaskThreadFunc work)
{
	NEXT(g_task_run_in_thread)(task, line_up(task, work) ? serve : work);
}

DEFINE(void, g_task_run_in_thread_sync, GTask *task, GTaskThreadFunc work)
{
	struct task *known = line_up(task, work);

	if (known)
		known->is_awaited = false;
	NEXT(g_task_run_in_thread_sync)(task, known ? serve : work);
	/* A cancelled task may have ended without a result. */
	if (known)
		end(known, is_cancelled(task, known));
}

DEFINE(void, g_task_return_pointer, GTask *task, gpointer result, GDestroyNotify destroy)
{
	returns(task, OUTCOME_READY);
	NEXT(g_task_return_pointer)(task, result, destroy);
}

DEFINE(void, g_task_return_boolean, GTask *task, gboolean result)
{
	returns(task, OUTCOME_READY);
	NEXT(g_task_return_boolean)(task, result);
}

DEFINE(void, g_task_return_int, GTask *task, gssize result)
{
	returns(task, OUTCOME_READY);
	NEXT(g_task_return_int)(task, result);
}

DEFINE(void, g_task_return_value, GTask *task, GValue *result)
{
	returns(task, OUTCOME_READY);
	NEXT(g_task_return_value)(task, result);
}

/* An error is a result too, except for G_IO_ERROR_CANCELLED. */
static enum outcome outcome_of(GQuark domain, gint code)
{
	return code == G_IO_ERROR_CANCELLED && domain == NEXT(g_io_error_quark)()
		       ? OUTCOME_CANCELLED
		       : OUTCOME_READY;
}

static void return_error(GTask *task, GError *error)
{
	if (error)
		returns(task, outcome_of(error->domain, error->code));
	NEXT(g_task_return_error)(task, error);
}

DEFINE(void, g_task_return_error, GTask *task, GError *error)
{
	return_error(task, error);
}

DEFINE(void, g_task_return_new_error, GTask *task, GQuark domain, gint code, const char *format,
       ...)
{
	va_list values;

	va_start(values, format);
	return_error(task, NEXT(g_error_new_valist)(domain, code, format, values));
	va_end(values);
}

DEFINE(void, g_task_return_new_error_literal, GTask *task, GQuark domain, gint code,
       const char *message)
{
	returns(task, outcome_of(domain, code));
	NEXT(g_task_return_new_error_literal)(task, domain, code, message);
}

DEFINE(void, g_task_return_prefixed_error, GTask *task, GError *error, const char *format, ...)
{
	va_list values;

	va_start(values, format);
	char *prefix = NEXT(g_strdup_vprintf)(format, values);
	va_end(values);
	if (error)
		returns(task, outcome_of(error->domain, error->code));
	NEXT(g_task_return_prefixed_error)(task, error, "%s", prefix);
	NEXT(g_free)(prefix);
}

/* Tested before: GLib may call the callback before it returns. */
DEFINE(gboolean, g_task_return_error_if_cancelled, GTask *task)
{
	if (find(task) && NEXT(g_cancellable_is_cancelled)(NEXT(g_task_get_cancellable)(task)))
		returns(task, OUTCOME_CANCELLED);
	return NEXT(g_task_return_error_if_cancelled)(task);
}
