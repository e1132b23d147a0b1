/* SPDX-License-Identifier: MIT */
/* The three ways to measure: a function, an operation that ends in a callback, and a block. */
#include <hotpath.h>

#include <err.h>
#include <poll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "own_clock.h"

/* An operation in progress: what started it is over when it ends, so its span is kept here. */
struct delay {
	int timer;
	struct hotpath_span span;
};

static struct timespec nanoseconds(long ns)
{
	return (struct timespec){ .tv_nsec = ns };
}

static void sleep_for(long ns)
{
	struct timespec time = nanoseconds(ns);

	nanosleep(&time, NULL);
}

static void sync_function(long ns)
{
	HOTPATH_MEASURE();
	sleep_for(ns);
}

static void async_function(struct delay *delay, long ns)
{
	/* A timer set to zero would never go off. */
	struct itimerspec when = { .it_value = nanoseconds(ns + 1) };

	HOTPATH_SPAN_BEGIN(delay->span, "async_function");
	if (timerfd_settime(delay->timer, 0, &when, NULL) != 0)
		err(1, "timerfd_settime");
}

static void async_function_done(struct delay *delay)
{
	HOTPATH_SPAN_END(delay->span);
}

/* The event loop: calls back when the timer has gone off. */
static void run_loop(struct delay *delay)
{
	struct pollfd event = { .fd = delay->timer, .events = POLLIN };
	uint64_t times;

	while (poll(&event, 1, -1) != 1 || read(delay->timer, &times, sizeof(times)) < 0)
		continue;
	async_function_done(delay);
}

static void work(struct delay *delay)
{
	for (long i = 0; i < 100; i++) {
		OWN_CLOCK("sync_function", sync_function(i));

		OWN_CLOCK("async_function", async_function(delay, i * 2); run_loop(delay));

		HOTPATH_BLOCK("custom_block", { OWN_CLOCK("custom_block", sleep_for(i * 3)); });
	}
}

int main(void)
{
	HOTPATH_MAIN();
	struct delay delay = { .timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC) };

	if (delay.timer < 0)
		err(1, "timerfd_create");
	OWN_CLOCK("main", work(&delay));
	close(delay.timer);
	return 0;
}
