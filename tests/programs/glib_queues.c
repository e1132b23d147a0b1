/* SPDX-License-Identifier: MIT */
/*
 * Sends messages through GAsyncQueues, and prints what it has counted itself.
 *
 * usage: glib_queues many | depth | functions | labels | made | forked | twice
 */
#include <hotpath.h>

#include <glib.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	SENDERS = 4,
	RECEIVERS = 4,
	MESSAGES = 1000000,
	MADE = 100000,
};

static int message, last;

static void tell(const char *what, unsigned long count)
{
	printf("%s %lu\n", what, count);
}

/* ---- many: eight threads and a million messages ---- */

static GAsyncQueue *shared;
static atomic_ulong received;

static gpointer send_share(gpointer unused)
{
	for (int i = 0; i < MESSAGES / SENDERS; i++)
		g_async_queue_push(shared, &message);
	return unused;
}

static gpointer receive_all(gpointer unused)
{
	unsigned long mine = 0;

	for (bool goes_on = true; goes_on; mine++)
		goes_on = g_async_queue_pop(shared) != &last;
	atomic_fetch_add(&received, mine);
	return unused;
}

static void many(void)
{
	GThread *senders[SENDERS], *receivers[RECEIVERS];

	shared = g_async_queue_new();
	for (int i = 0; i < RECEIVERS; i++)
		receivers[i] = g_thread_new("receiver", receive_all, NULL);
	for (int i = 0; i < SENDERS; i++)
		senders[i] = g_thread_new("sender", send_share, NULL);
	for (int i = 0; i < SENDERS; i++)
		g_thread_join(senders[i]);
	for (int i = 0; i < RECEIVERS; i++)
		g_async_queue_push(shared, &last);
	for (int i = 0; i < RECEIVERS; i++)
		g_thread_join(receivers[i]);
	tell("sent", MESSAGES + RECEIVERS);
	tell("received", received);
	g_async_queue_unref(shared);
}

/* ---- depth: one thread sends, one receives, and it is known how many there are at each moment ---- */

static gpointer receive_some(gpointer count)
{
	for (unsigned i = 0; i < GPOINTER_TO_UINT(count); i++)
		g_async_queue_pop(shared);
	return NULL;
}

static void send_some(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		g_async_queue_push(shared, &message);
}

static void depth(void)
{
	shared = g_async_queue_new();
	send_some(1000);
	g_thread_join(g_thread_new("receiver", receive_some, GUINT_TO_POINTER(400)));
	send_some(700);
	g_thread_join(g_thread_new("receiver", receive_some, GUINT_TO_POINTER(1295)));
	tell("most", 1300);
	tell("left", (unsigned long)g_async_queue_length(shared));
}

/* ---- functions: each once, and those that do not send or receive ---- */

static gint compare(gconstpointer a, gconstpointer b, gpointer unused)
{
	(void)unused;
	return a < b ? -1 : a > b;
}

static unsigned long send_each_way(GAsyncQueue *queue)
{
	g_async_queue_push(queue, &message);
	g_async_queue_push_front(queue, &message);
	g_async_queue_push_sorted(queue, &message, compare, NULL);
	g_async_queue_lock(queue);
	g_async_queue_push_unlocked(queue, &message);
	g_async_queue_push_front_unlocked(queue, &message);
	g_async_queue_push_sorted_unlocked(queue, &message, compare, NULL);
	g_async_queue_unlock(queue);
	return 6;
}

static unsigned long receive_each_way(GAsyncQueue *queue)
{
	unsigned long count = 0;

	count += g_async_queue_pop(queue) != NULL;
	count += g_async_queue_try_pop(queue) != NULL;
	count += g_async_queue_timeout_pop(queue, 1) != NULL;
	count += g_async_queue_remove(queue, &message) != FALSE;
	count += g_async_queue_remove(queue, &last) != FALSE;
	g_async_queue_lock(queue);
	count += g_async_queue_pop_unlocked(queue) != NULL;
	count += g_async_queue_try_pop_unlocked(queue) != NULL;
	count += g_async_queue_timeout_pop_unlocked(queue, 1) != NULL;
	count += g_async_queue_remove_unlocked(queue, &message) != FALSE;
	count += g_async_queue_timeout_pop_unlocked(queue, 1) != NULL;
	g_async_queue_unlock(queue);
	return count;
}

static gpointer send_late(gpointer queue)
{
	g_usleep(20000);
	g_async_queue_push(queue, &message);
	return NULL;
}

static void functions(void)
{
	GAsyncQueue *queue = g_async_queue_new_full(NULL);
	unsigned long sent = 1, taken = 1;

	/* Somebody waits. */
	GThread *sender = g_thread_new("sender", send_late, queue);
	gint64 since = g_get_monotonic_time();
	g_async_queue_pop(queue);
	tell("waited_us", (unsigned long)(g_get_monotonic_time() - since));
	g_thread_join(sender);
	for (int i = 0; i < 100; i++) {
		sent += send_each_way(queue) + send_each_way(queue);
		taken += receive_each_way(queue);
	}
	tell("sent", sent);
	tell("received", taken);
	tell("left", (unsigned long)g_async_queue_length(queue));
}

/* ---- labels ---- */

static __attribute__((noinline)) GAsyncQueue *make_queue(unsigned messages)
{
	GAsyncQueue *queue = g_async_queue_new();

	for (unsigned i = 0; i < messages; i++)
		g_async_queue_push(queue, &message);
	return queue;
}

static void labels(void)
{
	GAsyncQueue *jobs = make_queue(0), *results = make_queue(0), *unused = g_async_queue_new();

	make_queue(3);
	hotpath_label(unused, "unused");
	hotpath_label(jobs, "jobs");
	hotpath_label(results, "results");
	hotpath_label(&message, "nothing that anybody knows");
	hotpath_label(NULL, "nothing at all");
	for (int i = 0; i < 7; i++)
		g_async_queue_push(jobs, &message);
	g_async_queue_push(results, &message);
	g_async_queue_pop(results);
	g_async_queue_unref(results);
}

/* ---- twice: two queues of one function ---- */

static __attribute__((noinline)) void twice(void)
{
	GAsyncQueue *first = g_async_queue_new(); /* the first line */
	GAsyncQueue *second = g_async_queue_new(); /* the second line */

	g_async_queue_push(first, &message);
	g_async_queue_push(second, &message);
	g_async_queue_push(second, &message);
}

/* ---- made: one after the other, with several references each ---- */

static void made(void)
{
	for (int i = 0; i < MADE; i++) {
		GAsyncQueue *queue = g_async_queue_new();
		g_async_queue_push(queue, &message);
		g_async_queue_ref(queue);
		g_async_queue_unref(queue);
		g_async_queue_pop(queue);
		g_async_queue_unref(queue);
	}
	tell("made", MADE);
}

/* ---- forked: a child goes on with a queue of its parent's ---- */

static void forked(void)
{
	int status;

	shared = g_async_queue_new();
	send_some(10);
	pid_t child = fork();
	if (child == 0) {
		send_some(5);
		exit(0);
	}
	waitpid(child, &status, 0);
	send_some(1);
}

static const struct {
	const char *name;
	void (*run)(void);
} modes[] = { { "many", many },	    { "depth", depth }, { "functions", functions },
	      { "labels", labels }, { "made", made },	{ "forked", forked },
	      { "twice", twice } };

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(modes) / sizeof(*modes); i++)
		if (strcmp(argv[1], modes[i].name) == 0) {
			modes[i].run();
			return 0;
		}
	return 2;
}
