/* SPDX-License-Identifier: MIT */
/* Every macro of channels, streams, futures and values, once in every place where it may stand. */
#ifndef FLOW_MACROS_H
#define FLOW_MACROS_H

#include <hotpath.h>

#include <stdbool.h>

struct worker {
	struct hotpath_channel jobs;
	struct hotpath_stream *lines;
	struct hotpath_future future;
	int id;
};

enum shade { LIGHT, DARK };

struct worker *next_worker(struct worker *worker);
void channels(struct worker *workers, unsigned n, size_t size);
void logged_messages(struct worker *worker, const char *name, unsigned n);
void streams(struct worker *workers, unsigned n, int bytes);
void own_locks(struct hotpath_lock *locks, unsigned n);
void futures(struct worker *workers, unsigned n);
int poll_first(struct worker *worker, int n);
int poll_in_loops(struct worker *workers, int n);
int poll_twice(struct worker *worker, int n);
void unused_flows(void);
void flow_side_effects(struct worker *worker);
void gauges(int n, unsigned long size, float ratio, bool is_on);
void integers(signed char tiny, short small, long large, long long huge);
void unsigned_integers(unsigned char tiny, unsigned short small, unsigned long large,
		       unsigned long long huge);
void other_values(double exact, long double precise, const char *text, char *own,
		  struct worker *worker, const void *any);
void values_without_braces(int n);
void several_values(int n, const char *text, double exact, const struct worker *worker);
void keys(char *key, const char *text, int n);
void flow_functions(struct worker *worker, const char *name);

/* HOTPATH_CHANNEL_*: statements. */

void channels(struct worker *workers, unsigned n, size_t size)
{
	static struct hotpath_channel kept;

	HOTPATH_CHANNEL_NEW(&kept, "kept", 0);
	if (n > 1)
		HOTPATH_CHANNEL_NEW(&workers[0].jobs, "several", n);
	else
		HOTPATH_CHANNEL_NEW_ITER(&workers[0].jobs,
					 "one"
					 " by one",
					 size * 2);
	if (n > 2)
		HOTPATH_CHANNEL_NEW_ONESHOT(&workers[1].jobs, "one message");
	else
		HOTPATH_CHANNEL_NEW_ONESHOT_ITER(&workers[1].jobs, "one message, each");
	for (unsigned i = 0; i < n; i++)
		HOTPATH_CHANNEL_SEND(&workers[i].jobs, sizeof(*workers));
	for (unsigned i = 0; i < n; i++)
		HOTPATH_CHANNEL_WAIT(&workers[i].jobs);
	while (n-- > 1)
		HOTPATH_CHANNEL_RECV(&workers[n].jobs);
	HOTPATH_CHANNEL_SEND(&kept, 0);
	if (size)
		HOTPATH_CHANNEL_CLOSE(&kept);
	else
		HOTPATH_CHANNEL_CLOSE(&workers[0].jobs);
}

void logged_messages(struct worker *worker, const char *name, unsigned n)
{
	if (n)
		HOTPATH_CHANNEL_SEND_LOG(&worker->jobs, n, "a text alone");
	else
		HOTPATH_CHANNEL_SEND_LOG(&worker->jobs, worker->id, "%s, %u of %d", name, n, 3);
	HOTPATH_CHANNEL_RECV_LOG(&worker->jobs, "received");
	HOTPATH_CHANNEL_RECV_LOG(&worker->jobs, "%s", name);
	HOTPATH_STREAM_YIELD_LOG(worker->lines, n, "a line");
	HOTPATH_STREAM_YIELD_LOG(worker->lines, 80, "line %u: %s", n, name);
}

/* HOTPATH_STREAM_*: statements. */

void streams(struct worker *workers, unsigned n, int bytes)
{
	struct hotpath_stream stream;

	HOTPATH_STREAM_NEW(&stream, "lines");
	for (unsigned i = 0; i < n; i++)
		HOTPATH_STREAM_NEW_ITER(workers[i].lines, "lines, each");
	do
		HOTPATH_STREAM_YIELD(&stream, bytes);
	while (n-- > 1);
	if (bytes > 1)
		HOTPATH_STREAM_END(&stream);
	else
		HOTPATH_STREAM_END(workers->lines);
}

/* HOTPATH_LOCK_*: statements. */

void own_locks(struct hotpath_lock *locks, unsigned n)
{
	struct hotpath_lock lock;

	HOTPATH_LOCK_NEW(&lock, "a lock");
	for (unsigned i = 0; i < n; i++)
		HOTPATH_LOCK_NEW(&locks[i], "locks");
	if (n)
		HOTPATH_LOCK_WAIT(locks);
	else
		HOTPATH_LOCK_WAIT(&lock);
	do
		HOTPATH_LOCK_HELD(locks);
	while (n-- > 1);
	if (n > 1)
		HOTPATH_LOCK_FREED(locks);
	else
		HOTPATH_LOCK_FREED(&lock);
}

/* HOTPATH_FUTURE_*: statements, but for HOTPATH_FUTURE_POLL, a declaration. */

void futures(struct worker *workers, unsigned n)
{
	struct hotpath_future one;

	HOTPATH_FUTURE_NEW(&one, "one");
	for (unsigned i = 0; i < n; i++)
		HOTPATH_FUTURE_NEW(&workers[i].future, "each");
	if (n == 1)
		HOTPATH_FUTURE_READY(&one);
	else if (n == 2)
		HOTPATH_FUTURE_READY_LOG(&one, workers->id);
	else
		HOTPATH_FUTURE_CANCEL(&one);
	HOTPATH_FUTURE_READY_LOG(&workers->future, n > 1 ? "many" : "few");
	HOTPATH_FUTURE_READY_LOG(&workers->future, workers);
}

int poll_first(struct worker *worker, int n)
{
	HOTPATH_FUTURE_POLL(&worker->future);
	int twice = 2 * n;
	HOTPATH_MEASURE();
	int thrice = 3 * n;

	if (n > 7)
		HOTPATH_RETURN(twice);
	return twice + thrice;
}

int poll_in_loops(struct worker *workers, int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++) {
		HOTPATH_FUTURE_POLL(&workers[i].future);
		if (i == 3)
			continue;
		if (i == 7)
			break;
		sum += i;
	}
	switch (n) {
	case 0: {
		HOTPATH_FUTURE_POLL(&workers->future);
		break;
	}
	default:
		HOTPATH_BLOCK("polled", {
			HOTPATH_FUTURE_POLL(&workers->future);
			sum++;
		});
	}
	return sum;
}

int poll_twice(struct worker *worker, int n)
{
	HOTPATH_FUTURE_POLL(&worker->future);
	HOTPATH_FUTURE_POLL(&next_worker(worker)->future);
	{
		HOTPATH_FUTURE_POLL(&worker->future);
		n++;
	}
	return n;
}

void unused_flows(void)
{
	struct hotpath_channel channel;
	struct hotpath_stream stream;
	struct hotpath_future future;
	size_t bytes;

	bytes = 8;
	HOTPATH_CHANNEL_NEW(&channel, "never used", 8);
	HOTPATH_STREAM_NEW(&stream, "yields once");
	HOTPATH_STREAM_YIELD(&stream, bytes);
	HOTPATH_FUTURE_NEW(&future, "never run");
}

void flow_side_effects(struct worker *worker)
{
	HOTPATH_CHANNEL_SEND(&next_worker(worker)->jobs, next_worker(worker)->id);
	HOTPATH_STREAM_YIELD(worker++->lines, 1);
	HOTPATH_FUTURE_CANCEL(&(worker++)->future);
	HOTPATH_DBG(worker++);
}

/* HOTPATH_GAUGE_*: statements. Any number. */

void gauges(int n, unsigned long size, float ratio, bool is_on)
{
	if (n)
		HOTPATH_GAUGE_SET("n", n);
	else
		HOTPATH_GAUGE_ADD("n", -1);
	for (int i = 0; i < n; i++)
		HOTPATH_GAUGE_ADD("size"
				  ", in bytes",
				  size);
	HOTPATH_GAUGE_SET("ratio", ratio * 2);
	HOTPATH_GAUGE_SET("on", is_on);
	HOTPATH_GAUGE_SET("zero", 0);
	HOTPATH_GAUGE_ADD("half", -0.5L);
}

/* HOTPATH_DBG and HOTPATH_VAL: statements. Every type that can be kept. */

void integers(signed char tiny, short small, long large, long long huge)
{
	HOTPATH_DBG(tiny);
	HOTPATH_DBG(small);
	HOTPATH_DBG(large);
	HOTPATH_DBG(huge);
	HOTPATH_VAL("character", 'c');
	HOTPATH_VAL("sum", tiny + small);
	HOTPATH_VAL("shade", small ? LIGHT : DARK);
}

void unsigned_integers(unsigned char tiny, unsigned short small, unsigned long large,
		       unsigned long long huge)
{
	HOTPATH_DBG(tiny);
	HOTPATH_DBG(small);
	HOTPATH_DBG(large);
	HOTPATH_DBG(huge);
	HOTPATH_DBG(sizeof(struct worker));
	HOTPATH_VAL("size", sizeof(tiny));
	HOTPATH_VAL("percent", large % 100);
}

void other_values(double exact, long double precise, const char *text, char *own,
		  struct worker *worker, const void *any)
{
	char array[] = "an array";
	bool is_set = exact > 0;

	HOTPATH_DBG(is_set);
	HOTPATH_DBG(-1.5F);
	HOTPATH_DBG(exact / 2);
	HOTPATH_DBG(precise);
	HOTPATH_DBG(text);
	HOTPATH_DBG(own);
	HOTPATH_DBG(array);
	HOTPATH_DBG("a literal, with a comma and 100 %");
	HOTPATH_DBG(worker);
	HOTPATH_DBG(&worker->id);
	HOTPATH_VAL("any", any);
	HOTPATH_VAL("name", is_set ? text : own);
	HOTPATH_VAL("array", array);
}

void values_without_braces(int n)
{
	if (n == 0)
		HOTPATH_DBG(n);
	else if (n == 1)
		HOTPATH_VAL("n", n);
	else
		HOTPATH_DBG(n - 1);
	for (int i = 0; i < n; i++)
		HOTPATH_VAL("i", i);
}

void several_values(int n, const char *text, double exact, const struct worker *worker)
{
	if (n)
		HOTPATH_DBG(n, text);
	else
		HOTPATH_DBG(n, "a comma, in quotes", (n < 1 ? exact : 2));
	HOTPATH_DBG(n, n + 1, text, exact, 'c', worker, worker->id, sizeof(n));
}

/* A key may be a literal, a macro, or made at run time. */
#define KEY "key"

void keys(char *key, const char *text, int n)
{
	char array[] = "an array";

	HOTPATH_VAL(KEY, n);
	HOTPATH_VAL(KEY ", more of it", n);
	if (n)
		HOTPATH_VAL(key, text);
	else
		HOTPATH_VAL(n > 1 ? text : key, n);
	HOTPATH_VAL(array, key);
	HOTPATH_VAL(text + 1, n);
}

/* What are functions when switched on. */

void flow_functions(struct worker *worker, const char *name)
{
	char unfilled[8];

	if (worker)
		hotpath_label(worker, "a worker");
	else
		hotpath_label(unfilled, name);
	hotpath_fiber_switch(0);
	for (unsigned i = 0; i < 2; i++)
		hotpath_fiber_switch(i);
}

#endif
