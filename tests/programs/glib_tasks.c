/* SPDX-License-Identifier: MIT */
/*
 * Makes GTasks that come to all the ends there are, and prints what it has counted itself. What a program can see of
 * its tasks is as it would be without anybody who looks: it ends with 1 when not.
 */
#include <gio/gio.h>

#include <err.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

enum {
	ROUNDS = 50,
};

static GMainLoop *loop;
static unsigned made, called, cancelled, awaited;
static atomic_uint served;
static int tag, callback_data, task_data;

static void check(bool is_so, const char *what)
{
	if (!is_so)
		errx(1, "%s", what);
}

static void was_called(GObject *source, GAsyncResult *result, gpointer data)
{
	GTask *task = G_TASK(result);

	check(data == &callback_data, "other data of the callback");
	check(g_async_result_get_user_data(result) == &callback_data, "other user data");
	check(g_task_is_valid(task, source) && g_task_get_source_tag(task) == &tag, "another tag");
	check(g_strcmp0(g_task_get_name(task), "a task") == 0, "another name");
	called++;
	if (--awaited == 0)
		g_main_loop_quit(loop);
}

static GTask *make(GCancellable *cancellable, GAsyncReadyCallback callback)
{
	GTask *task = g_task_new(NULL, cancellable, callback, &callback_data);

	g_task_set_source_tag(task, &tag);
	g_task_set_name(task, "a task");
	g_task_set_task_data(task, &task_data, NULL);
	made++;
	awaited += callback != NULL;
	return task;
}

static void work(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
	check(!source && data == &task_data && g_task_get_task_data(task) == data, "other data");
	check(g_task_get_cancellable(task) == cancellable, "another cancellable");
	g_usleep(1000);
	atomic_fetch_add(&served, 1);
	g_task_return_int(task, 42);
}

static void end_with_result(void)
{
	GTask *task = make(NULL, was_called);

	g_task_return_pointer(task, &tag, NULL);
	g_object_unref(task);
	task = make(NULL, was_called);
	g_task_return_boolean(task, TRUE);
	g_object_unref(task);
	task = make(NULL, was_called);
	g_task_return_new_error(task, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "error %d", 1);
	g_object_unref(task);
	task = make(NULL, NULL);
	g_task_return_int(task, 1);
	check(g_task_propagate_int(task, NULL) == 1, "another result");
	g_object_unref(task);
}

static void end_without(void)
{
	GCancellable *cancellable = g_cancellable_new();
	GTask *task = make(cancellable, was_called);

	check(!g_task_return_error_if_cancelled(task), "cancelled too soon");
	g_cancellable_cancel(cancellable);
	check(g_task_return_error_if_cancelled(task), "not cancelled");
	g_object_unref(task);
	/* It has a result, but nobody gets it. */
	task = make(cancellable, was_called);
	g_task_return_pointer(task, &tag, NULL);
	g_object_unref(task);
	task = make(NULL, was_called);
	g_task_return_error(task, g_error_new_literal(G_IO_ERROR, G_IO_ERROR_CANCELLED, "no"));
	g_object_unref(task);
	g_object_unref(make(NULL, NULL));
	g_object_unref(cancellable);
	cancelled += 4;
}

static void work_in_threads(void)
{
	GTask *task = make(NULL, was_called);

	g_task_run_in_thread(task, work);
	g_object_unref(task);
	task = make(NULL, NULL);
	g_task_run_in_thread_sync(task, work);
	check(g_task_propagate_int(task, NULL) == 42, "another result");
	g_object_unref(task);
}

static gboolean begin(gpointer unused)
{
	(void)unused;
	for (int i = 0; i < ROUNDS; i++) {
		end_with_result();
		end_without();
		work_in_threads();
	}
	return G_SOURCE_REMOVE;
}

int main(void)
{
	loop = g_main_loop_new(NULL, FALSE);
	g_idle_add(begin, NULL);
	g_main_loop_run(loop);
	g_main_loop_unref(loop);
	printf("made %u\ncalled %u\ncancelled %u\nserved %u\n", made, called, cancelled, served);
	return 0;
}
