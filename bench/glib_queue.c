/* SPDX-License-Identifier: MIT */
/*
 * What a message costs that one thread pushes into a GAsyncQueue and another pops, with the probe, which was preloaded,
 * and without: GLib's own functions, asked for by name. They take turns. Prints the time with the probe in nanoseconds,
 * and the ratio to the round after it without: medians both.
 *
 * The queue is never empty. How often a thread that waits must be woken, which takes longer than all the rest, is a
 * matter of luck otherwise.
 */
#include <glib.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	MESSAGES = 20000,
	ROUNDS = 301,
};

struct functions {
	GAsyncQueue *(*make)(void);
	void (*push)(GAsyncQueue *queue, gpointer data);
	gpointer (*pop)(GAsyncQueue *queue);
	void (*unref)(GAsyncQueue *queue);
};

static const struct functions seen = { g_async_queue_new, g_async_queue_push, g_async_queue_pop,
				       g_async_queue_unref };

struct work {
	const struct functions *functions;
	GAsyncQueue *queue;
};

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static gpointer pop_all(gpointer data)
{
	const struct work *work = data;

	for (int i = 0; i < MESSAGES; i++)
		work->functions->pop(work->queue);
	return NULL;
}

static void push_all(struct work *work)
{
	for (int i = 0; i < MESSAGES; i++)
		work->functions->push(work->queue, work);
}

static double round_ns(const struct functions *functions)
{
	struct work work = { functions, functions->make() };

	push_all(&work);
	double start = now_ns();
	GThread *receiver = g_thread_new("receiver", pop_all, &work);
	push_all(&work);
	g_thread_join(receiver);
	double end = now_ns();
	pop_all(&work);
	functions->unref(work.queue);
	return (end - start) / MESSAGES;
}

static void look_up(void *glib, const char *name, void *function)
{
	void *found = dlsym(glib, name);

	if (!found)
		exit(1);
	memcpy(function, &found, sizeof(found));
}

static struct functions bare_functions(void)
{
	void *glib = dlopen("libglib-2.0.so.0", RTLD_LAZY | RTLD_NOLOAD);
	struct functions found;

	look_up(glib, "g_async_queue_new", &found.make);
	look_up(glib, "g_async_queue_push", &found.push);
	look_up(glib, "g_async_queue_pop", &found.pop);
	look_up(glib, "g_async_queue_unref", &found.unref);
	return found;
}

static int compare(const void *a, const void *b)
{
	double first = *(const double *)a, second = *(const double *)b;

	return first < second ? -1 : first > second;
}

int main(void)
{
	struct functions bare = bare_functions();
	double with[ROUNDS], ratios[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		with[i] = round_ns(&seen);
		ratios[i] = with[i] / round_ns(&bare);
	}
	qsort(with, ROUNDS, sizeof(*with), compare);
	qsort(ratios, ROUNDS, sizeof(*ratios), compare);
	printf("%f %f\n", with[ROUNDS / 2], ratios[ROUNDS / 2]);
	return 0;
}
