/* SPDX-License-Identifier: MIT */
/*
 * Runs main loops in all the ways there are, and prints what it has counted itself.
 *
 * usage: glib_loops run | steps | own | hand | nested | thread
 */
#include <hotpath.h>

#include <glib.h>

#include <err.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

enum {
	TIMEOUTS = 20,
	IDLES = 30,
	SLOW_US = 30000,
};

static GMainLoop *loop;
static unsigned callbacks, turns;

static gboolean slow_callback(gpointer unused)
{
	(void)unused;
	callbacks++;
	g_usleep(SLOW_US);
	return G_SOURCE_REMOVE;
}

static gboolean count_timeout(gpointer left)
{
	callbacks++;
	if (--*(unsigned *)left)
		return G_SOURCE_CONTINUE;
	g_main_loop_quit(loop);
	return G_SOURCE_REMOVE;
}

static gboolean count_idle(gpointer left)
{
	callbacks++;
	return --*(unsigned *)left ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

static unsigned timeouts_left = TIMEOUTS, idles_left = IDLES;

static void add_source(GMainContext *context, GSource *source, GSourceFunc callback, gpointer data)
{
	g_source_set_callback(source, callback, data, NULL);
	g_source_attach(source, context);
	g_source_unref(source);
}

static void add_sources(GMainContext *context)
{
	add_source(context, g_timeout_source_new(2), count_timeout, &timeouts_left);
	add_source(context, g_idle_source_new(), count_idle, &idles_left);
	add_source(context, g_timeout_source_new(5), slow_callback, NULL);
}

/* A poll of a callback's own is not one of the loop's. */
static gint count_poll(GPollFD *files, guint count, gint timeout)
{
	turns++;
	return (gint)poll((struct pollfd *)files, count, timeout);
}

static void tell(void)
{
	printf("callbacks %u\nturns %u\n", callbacks, turns);
}

static void own(void)
{
	GMainContext *context = g_main_context_new();

	loop = g_main_loop_new(context, FALSE);
	g_main_context_set_poll_func(context, count_poll);
	if (g_main_context_get_poll_func(context) != count_poll)
		errx(1, "another function to poll");
	hotpath_label(loop, "own");
	add_sources(context);
	g_main_loop_run(loop);
	tell();
}

static void run(void)
{
	loop = g_main_loop_new(NULL, FALSE);
	add_sources(NULL);
	g_main_loop_run(loop);
	tell();
}

static void steps(void)
{
	GMainContext *context = g_main_context_default();

	loop = g_main_loop_new(NULL, TRUE);
	hotpath_label(context, "steps");
	add_sources(NULL);
	for (; g_main_loop_is_running(loop); turns++)
		g_main_context_iteration(NULL, TRUE);
	tell();
}

static void turn_by_hand(GMainContext *context)
{
	GPollFD files[8];
	gint priority, timeout;

	g_main_context_prepare(context, &priority);
	gint count = g_main_context_query(context, priority, &timeout, files, 8);
	poll((struct pollfd *)files, (nfds_t)count, timeout);
	if (g_main_context_check(context, priority, files, count))
		g_main_context_dispatch(context);
}

static void hand(void)
{
	GMainContext *context = g_main_context_default();

	loop = g_main_loop_new(NULL, TRUE);
	add_sources(NULL);
	if (!g_main_context_acquire(context))
		errx(1, "another runs it");
	for (; g_main_loop_is_running(loop); turns++)
		turn_by_hand(context);
	/* The last turn ends when the next wait begins. */
	turn_by_hand(context);
	g_main_context_release(context);
	tell();
}

static gboolean run_inside(gpointer unused)
{
	(void)unused;
	callbacks++;
	add_sources(NULL);
	g_main_loop_run(loop);
	return G_SOURCE_REMOVE;
}

static void nested(void)
{
	loop = g_main_loop_new(NULL, FALSE);
	g_idle_add(run_inside, NULL);
	while (!callbacks)
		g_main_context_iteration(NULL, TRUE);
	tell();
}

static gpointer run_own(gpointer context)
{
	g_main_context_push_thread_default(context);
	g_main_loop_run(loop);
	g_main_context_pop_thread_default(context);
	return NULL;
}

static void thread(void)
{
	GMainContext *context = g_main_context_new();

	hotpath_label(context, "worker");
	loop = g_main_loop_new(context, FALSE);
	add_sources(context);
	g_thread_join(g_thread_new("worker", run_own, context));
	tell();
	g_main_loop_unref(loop);
	g_main_context_unref(context);
}

static const struct {
	const char *name;
	void (*run)(void);
} modes[] = { { "run", run },	{ "steps", steps },   { "own", own },
	      { "hand", hand }, { "nested", nested }, { "thread", thread } };

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(modes) / sizeof(*modes); i++)
		if (strcmp(argv[1], modes[i].name) == 0) {
			modes[i].run();
			return 0;
		}
	return 2;
}
