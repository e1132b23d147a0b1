/* SPDX-License-Identifier: MIT */
/*
 * A slow consumer: guests order faster than their meals are cooked, so the queue between the two threads grows, and each
 * order waits longer than the one before it. The queue is GLib's, and nothing but its name is said about it here.
 */
#include <hotpath.h>

#include <glib.h>
#include <stdbool.h>

#include "own_clock.h"

enum {
	/* Guests come by the busload. */
	BUSES = 10,
	GUESTS = 20,
	BETWEEN_BUSES_NS = 5000000,
	COOKING_NS = 1000000,
};

struct order {
	uint64_t since;
	bool is_last;
};

static GAsyncQueue *orders;
static struct order all[BUSES][GUESTS];

static void sleep_for(long ns)
{
	const struct timespec time = { .tv_nsec = ns };

	nanosleep(&time, NULL);
}

static void cook(void)
{
	HOTPATH_MEASURE();
	sleep_for(COOKING_NS);
}

static gpointer run_kitchen(gpointer unused)
{
	const struct order *order;

	do {
		order = g_async_queue_pop(orders);
		own_clock_add("waited", order->since);
		cook();
	} while (!order->is_last);
	return unused;
}

static void place(struct order *order, bool is_last)
{
	*order = (struct order){ own_clock_now(), is_last };
	g_async_queue_push(orders, order);
}

static void serve_guests(void)
{
	HOTPATH_MEASURE();

	for (int bus = 0; bus < BUSES; bus++) {
		for (int guest = 0; guest < GUESTS; guest++)
			place(&all[bus][guest], bus == BUSES - 1 && guest == GUESTS - 1);
		sleep_for(BETWEEN_BUSES_NS);
	}
}

int main(void)
{
	HOTPATH_MAIN();

	orders = g_async_queue_new();
	hotpath_label(orders, "orders");
	GThread *kitchen = g_thread_new("kitchen", run_kitchen, NULL);
	serve_guests();
	g_thread_join(kitchen);
	g_async_queue_unref(orders);
	return 0;
}
