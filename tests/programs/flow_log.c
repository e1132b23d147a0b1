/* SPDX-License-Identifier: MIT */
/* Logs something of everything that can be logged beside calls, and knows how much that is. */
#include "hotpath.h"

#include <time.h>

static struct hotpath_channel jobs, seldom;
static struct hotpath_stream lines;
static struct hotpath_future futures[3];

/* Two messages are left in the first; of the second, all were received, and the first too long ago. */
static void send(void)
{
	HOTPATH_CHANNEL_NEW(&jobs, "jobs", 4);
	for (int i = 1; i <= 100; i++) {
		HOTPATH_CHANNEL_SEND_LOG(&jobs, 8, "job %d", i);
		if (i <= 98)
			HOTPATH_CHANNEL_RECV(&jobs);
	}
	HOTPATH_CHANNEL_NEW(&seldom, "seldom", 0);
	for (int i = 0; i < 1000; i++) {
		if (i % 500 == 0)
			HOTPATH_CHANNEL_SEND_LOG(&seldom, 8, "message %d", i);
		else
			HOTPATH_CHANNEL_SEND(&seldom, 8);
		HOTPATH_CHANNEL_RECV(&seldom);
	}
	HOTPATH_CHANNEL_RECV_LOG(&jobs, "received");
}

static void yield(void)
{
	HOTPATH_STREAM_NEW(&lines, "lines");
	for (int i = 1; i <= 3; i++)
		HOTPATH_STREAM_YIELD_LOG(&lines, 5, "line\n%d", i);
	HOTPATH_STREAM_END(&lines);
}

static void fetch(void)
{
	for (int i = 0; i < 3; i++) {
		HOTPATH_FUTURE_NEW(&futures[i], "fetch");
		for (int j = 0; j <= i; j++) {
			HOTPATH_FUTURE_POLL(&futures[i]);
		}
	}
	HOTPATH_FUTURE_READY_LOG(&futures[0], 42);
	HOTPATH_FUTURE_CANCEL(&futures[1]);
}

static int step(int n)
{
	HOTPATH_MEASURE();
	HOTPATH_RETURN(n + 1);
}

/* Five changes at once, and then some that are two milliseconds apart. */
static void change(void)
{
	static const struct timespec gap = { 0, 2000000 };

	for (int i = 1; i <= 100000; i++)
		HOTPATH_GAUGE_SET("often", i);
	for (int i = 96; i <= 120; i++) {
		HOTPATH_GAUGE_SET("bursts", i);
		if (i > 100)
			nanosleep(&gap, NULL);
	}
}

int main(void)
{
	HOTPATH_MAIN();
	static struct hotpath_channel quiet;

	send();
	yield();
	fetch();
	for (int i = 1; i <= 70; i++)
		HOTPATH_VAL("key", i % 2 ? "odd" : "even");
	for (int i = 1; i <= 3; i++)
		HOTPATH_DBG(i * 2);
	HOTPATH_GAUGE_SET("depth", 1.5);
	change();
	for (int i = 0; i < 300; i = step(i))
		;
	HOTPATH_CHANNEL_NEW(&quiet, "quiet", 0);
	return 0;
}
