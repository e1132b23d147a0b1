/* SPDX-License-Identifier: MIT */
/* What channels, streams, futures and gauges cost. */
#include "budget.h"

#include <hotpath.h>

#include <pthread.h>
#include <time.h>

enum {
	TIMES = 2000000,
	ROUNDS = 9,
};

static struct hotpath_channel channel;
static struct hotpath_stream stream;
static struct hotpath_future future;

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void pairs(void)
{
	for (int i = 0; i < TIMES; i++) {
		HOTPATH_CHANNEL_SEND(&channel, 64);
		HOTPATH_CHANNEL_RECV(&channel);
	}
}

static void items(void)
{
	for (int i = 0; i < TIMES; i++)
		HOTPATH_STREAM_YIELD(&stream, 64);
}

static __attribute__((noinline)) void step(void)
{
	HOTPATH_FUTURE_POLL(&future);
}

static void steps(void)
{
	for (int i = 0; i < TIMES; i++)
		step();
}

static void settings(void)
{
	for (int i = 0; i < TIMES; i++)
		HOTPATH_GAUGE_SET("load", i & 15);
}

/* As of what is in progress: up and down. */
static void changes(void)
{
	for (int i = 0; i < TIMES; i++)
		HOTPATH_GAUGE_ADD("open", i & 1 ? -1 : 1);
}

static void *send_all(void *unused)
{
	for (int i = 0; i < TIMES; i++)
		HOTPATH_CHANNEL_SEND(&channel, 64);
	return unused;
}

/* One thread sends and another one receives, each as fast as it can. */
static void between_threads(void)
{
	pthread_t sender;

	pthread_create(&sender, NULL, send_all, NULL);
	for (int i = 0; i < TIMES; i++)
		HOTPATH_CHANNEL_RECV(&channel);
	pthread_join(sender, NULL);
}

/* Nanoseconds of one of many. */
static double best_of(void (*many)(void))
{
	double least = 1e18;

	for (int i = 0; i < ROUNDS; i++) {
		double start = now_ns();
		many();
		double taken = (now_ns() - start) / TIMES;
		least = taken < least ? taken : least;
	}
	return least;
}

void bench_flows(double two_reads)
{
	hotpath_start(NULL);
	HOTPATH_CHANNEL_NEW(&channel, "pairs", 0);
	HOTPATH_STREAM_NEW(&stream, "items");
	HOTPATH_FUTURE_NEW(&future, "steps");
	double pair = best_of(pairs), item = best_of(items), poll = best_of(steps);
	double set = best_of(settings), change = best_of(changes), two = best_of(between_threads);
	hotpath_stop();

	row("a message sent and received", pair, "ns", pair / two_reads, "floor", 3.5);
	row("the same, between two threads", two, "ns", two / pair, "one thread", 2);
	row("a step of a future", poll, "ns", poll / two_reads, "floor", 2.5);
	row("an item of a stream", item, "ns", item / two_reads, "floor", 1.5);
	row("a gauge that is set", set, "ns", set / two_reads, "floor", 1);
	row("a gauge that is added to", change, "ns", change / two_reads, "floor", 1);
}
