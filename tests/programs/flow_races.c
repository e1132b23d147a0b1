/* SPDX-License-Identifier: MIT */
/*
 * Channels and futures that other threads, a fork or another session come in between of.
 *
 * usage: flow_races closing|fork|sessions|between
 */
#include "flows.h"

#include <string.h>
#include <sys/wait.h>

enum {
	RACERS = 4,
	ROUNDS = 60000,
};

static struct hotpath_channel raced[RACERS];
static bool is_over;

/* Into channels that may be closed, or made, at any moment. */
static void *race(void *unused)
{
	for (unsigned i = 0; !__atomic_load_n(&is_over, __ATOMIC_RELAXED); i++) {
		HOTPATH_CHANNEL_SEND(&raced[i % RACERS], 1);
		HOTPATH_CHANNEL_RECV(&raced[i % RACERS]);
	}
	return unused;
}

/* Of all sizes: a queue is used again for another channel soon. */
static void *make_and_close(void *argument)
{
	struct hotpath_channel *channel = argument;

	for (int i = 0; i < ROUNDS; i++) {
		if (i % 2)
			HOTPATH_CHANNEL_NEW(channel, "large", 0);
		else
			HOTPATH_CHANNEL_NEW(channel, "small", 4);
		HOTPATH_CHANNEL_CLOSE(channel);
	}
	return NULL;
}

static void closing(void)
{
	pthread_t makers[RACERS], senders[RACERS];

	for (int i = 0; i < RACERS; i++)
		pthread_create(&senders[i], NULL, race, NULL);
	for (int i = 0; i < RACERS; i++)
		pthread_create(&makers[i], NULL, make_and_close, &raced[i]);
	for (int i = 0; i < RACERS; i++)
		pthread_join(makers[i], NULL);
	__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
	for (int i = 0; i < RACERS; i++)
		pthread_join(senders[i], NULL);
}

static void send_ten(struct hotpath_channel *channel)
{
	for (int i = 0; i < 10; i++)
		HOTPATH_CHANNEL_SEND(channel, 1);
}

/* The parent's goes on in the child, when that has channels of its own, too. */
static void use_inherited(struct hotpath_channel *channel)
{
	struct hotpath_channel own;

	send_ten(channel);
	HOTPATH_CHANNEL_NEW(&own, "own", 0);
	send_ten(channel);
	HOTPATH_CHANNEL_SEND(&own, 1);
	HOTPATH_CHANNEL_CLOSE(channel);
}

/* In the middle of a poll, which ends in both. */
static void fork_inside(struct hotpath_channel *channel, struct hotpath_future *future)
{
	struct hotpath_future own;
	HOTPATH_FUTURE_POLL(future);

	if (fork()) {
		int status;

		wait(&status);
		truth("@status", (uint64_t)status);
		return;
	}
	use_inherited(channel);
	HOTPATH_FUTURE_NEW(&own, "work");
}

static void fork_between(void)
{
	struct hotpath_channel channel;
	struct hotpath_future future;

	HOTPATH_CHANNEL_NEW(&channel, "inherited", 0);
	send_ten(&channel);
	HOTPATH_FUTURE_NEW(&future, "work");
	fork_inside(&channel, &future);
}

static struct hotpath_stream stream;

/* Both are ended. */
static void copy_stream(void)
{
	struct hotpath_stream copy;

	HOTPATH_STREAM_NEW(&stream, "copied");
	copy = stream;
	HOTPATH_STREAM_END(&copy);
	HOTPATH_STREAM_END(&stream);
}

/* What is made while recording, and closed while not, is gone; it had a queue, of which there are so many. */
static void close_between(void)
{
	static struct hotpath_channel channels[5000];
	struct hotpath_stream short_lived;

	for (int i = 0; i < 14; i++) {
		hotpath_start(NULL);
		HOTPATH_STREAM_NEW(&short_lived, "between");
		for (int j = 0; j < 5000; j++)
			HOTPATH_CHANNEL_NEW(&channels[j], "between", 1);
		hotpath_stop();
		HOTPATH_STREAM_END(&short_lived);
		for (int j = 0; j < 5000; j++)
			HOTPATH_CHANNEL_CLOSE(&channels[j]);
	}
}

/*
 * A future of the first session, which is polled in the second: it is not the first one of that. And a stream of which
 * there are less than none by then.
 */
static void sessions(void)
{
	struct hotpath_future before, after;

	for (int i = 0; i < 2; i++) {
		hotpath_start(NULL);
		if (i == 0)
			copy_stream();
		HOTPATH_FUTURE_NEW(i ? &after : &before, "work");
		for (int j = 0; j < 5; j++) {
			HOTPATH_FUTURE_POLL(&before);
		}
		hotpath_stop();
	}
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (strcmp(mode, "sessions") == 0) {
		sessions();
		return 0;
	}
	if (strcmp(mode, "between") == 0) {
		close_between();
		return 0;
	}
	HOTPATH_MAIN();
	if (strcmp(mode, "closing") == 0)
		closing();
	else
		fork_between();
	return 0;
}
