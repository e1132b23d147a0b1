/* SPDX-License-Identifier: MIT */
/*
 * Channels, streams and futures that are used as they should not be, or very often.
 *
 * usage: flow_lives wrong|million|iter|oneshot|values|several|keys|futures|early|deep|over|again
 */
#include "flows.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

/* Closed twice, used after that, freed without a word, and never made: nothing of it is counted as a message. */
static void wrong(void)
{
	struct hotpath_channel none = { .token = 0 }, closed, kept;
	struct hotpath_channel *freed = malloc(sizeof(*freed)), *volatile gone = freed;
	struct hotpath_stream stream;
	struct hotpath_future future;

	HOTPATH_CHANNEL_NEW(&closed, "closed", 4);
	HOTPATH_CHANNEL_CLOSE(&closed);
	HOTPATH_CHANNEL_CLOSE(&closed);
	HOTPATH_CHANNEL_SEND(&closed, 1);
	HOTPATH_CHANNEL_RECV(&closed);
	HOTPATH_CHANNEL_NEW(freed, "freed", 4);
	HOTPATH_CHANNEL_SEND(freed, 1);
	memset(gone, 0x5a, sizeof(*gone));
	HOTPATH_CHANNEL_SEND(freed, 1);
	free(freed);
	HOTPATH_CHANNEL_SEND(&none, 1);
	HOTPATH_CHANNEL_NEW(&kept, "never closed", 0);
	HOTPATH_CHANNEL_SEND(&kept, 10);
	HOTPATH_STREAM_NEW(&stream, "stream");
	HOTPATH_STREAM_YIELD(&stream, 5);
	HOTPATH_STREAM_END(&stream);
	HOTPATH_STREAM_END(&stream);
	HOTPATH_STREAM_YIELD(&stream, 5);
	HOTPATH_FUTURE_NEW(&future, "future");
	HOTPATH_FUTURE_READY(&future);
	HOTPATH_FUTURE_CANCEL(&future);
	{
		HOTPATH_FUTURE_POLL(&future);
	}
	truth("@not_open", 6);
	truth("@ended_twice", 3);
}

/* What the segments of a folder take, as the file system sees it. */
static uint64_t folder_bytes(void)
{
	const char *folder = getenv("HOTPATH_DIR");
	DIR *files = folder ? opendir(folder) : NULL;
	uint64_t bytes = 0;

	for (struct dirent *file; files && (file = readdir(files));) {
		struct stat info;
		if (fstatat(dirfd(files), file->d_name, &info, 0) == 0 && S_ISREG(info.st_mode))
			bytes += (uint64_t)info.st_blocks * 512;
	}
	if (files)
		closedir(files);
	return bytes;
}

static void use_one(void)
{
	struct hotpath_channel channel;

	HOTPATH_CHANNEL_NEW(&channel, "request", 8);
	HOTPATH_CHANNEL_SEND(&channel, 3);
	HOTPATH_CHANNEL_SEND(&channel, 4);
	HOTPATH_CHANNEL_RECV(&channel);
	HOTPATH_CHANNEL_RECV(&channel);
	HOTPATH_CHANNEL_CLOSE(&channel);
}

/* The last ones are not closed: they are too many for a queue each. */
static void million(void)
{
	struct hotpath_channel left;

	for (int i = 0; i < 1000; i++)
		use_one();
	truth("@early_bytes", folder_bytes());
	for (int i = 1000; i < 1000000; i++)
		use_one();
	truth("@late_bytes", folder_bytes());
	for (int i = 0; i < 70000; i++) {
		HOTPATH_CHANNEL_NEW(&left, "left", 1);
		HOTPATH_CHANNEL_SEND(&left, 1);
	}
	truth("@queues", 70000 - 65535);
}

static void iter(void)
{
	struct hotpath_channel channel;

	for (int i = 0; i < 1500; i++) {
		HOTPATH_CHANNEL_NEW_ITER(&channel, "each", 0);
		for (int j = 0; j <= i % 3; j++)
			HOTPATH_CHANNEL_SEND(&channel, 1);
		HOTPATH_CHANNEL_CLOSE(&channel);
	}
}

/* Far more than may be open at once, most of which nobody closes: it has ended when its message was received. */
static void oneshot(void)
{
	struct hotpath_channel answer, kept[3];

	for (int i = 0; i < 70000; i++) {
		HOTPATH_CHANNEL_NEW_ONESHOT(&answer, "answer");
		HOTPATH_CHANNEL_SEND(&answer, 8);
		if (i % 2)
			HOTPATH_CHANNEL_RECV(&answer);
		else
			HOTPATH_CHANNEL_RECV_LOG(&answer, "answer %d", i);
		if (i % 7 == 0)
			HOTPATH_CHANNEL_CLOSE(&answer);
	}
	/* Once too often. */
	HOTPATH_CHANNEL_NEW_ONESHOT(&answer, "twice");
	HOTPATH_CHANNEL_SEND(&answer, 8);
	HOTPATH_CHANNEL_RECV(&answer);
	HOTPATH_CHANNEL_RECV(&answer);
	HOTPATH_CHANNEL_CLOSE(&answer);
	HOTPATH_CHANNEL_CLOSE(&answer);
	truth("@not_open", 1);
	truth("@ended_twice", 1);
	for (int i = 0; i < 3; i++)
		HOTPATH_CHANNEL_NEW_ONESHOT_ITER(&kept[i], "kept");
	HOTPATH_CHANNEL_SEND(&kept[1], 8);
	HOTPATH_CHANNEL_CLOSE(&kept[2]);
}

static void *set_values(void *unused)
{
	for (int i = 0; i < 100000; i++) {
		HOTPATH_GAUGE_ADD("sum", 1);
		HOTPATH_GAUGE_ADD("sum", i % 10 ? 1 : -0.5);
	}
	return unused;
}

static void values(void)
{
	pthread_t threads[8];
	const char *text = "seven";

	for (int i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, set_values, NULL);
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	for (int i = -3; i < 5; i++) {
		HOTPATH_GAUGE_SET("level", i * 2.5);
		HOTPATH_DBG(i * i);
	}
	HOTPATH_VAL("name", text);
	HOTPATH_VAL("name", "eight");
	HOTPATH_VAL("pointer", (void *)&threads);
	HOTPATH_VAL("nowhere", (const char *)1);
}

static int both(int a, int b)
{
	return a + b;
}

/* Each expression is a row, under its text as it is written. */
static void several(void)
{
	int n = 7;

	for (int i = 0; i < 2; i++)
		HOTPATH_DBG(n, both(i, 3), "a, \"b\"", ',', QUEUE_ROOM, (double)(i * 2.5));
}

/* The same key is the same row, however it was made: of 20 threads' 1500 keys, so many as there may be have one. */
static void *set_keys(void *unused)
{
	char key[200];

	for (int i = 0; i < 1500; i++) {
		snprintf(key, sizeof(key), "key-%d", i);
		HOTPATH_VAL(key, i);
	}
	memset(key, 'k', sizeof(key) - 1);
	key[sizeof(key) - 1] = '\0';
	HOTPATH_VAL(key, "long");
	return unused;
}

static void keys(void)
{
	pthread_t threads[20];

	HOTPATH_VAL("key-3", "a literal");
	for (int i = 0; i < 20; i++)
		pthread_create(&threads[i], NULL, set_keys, NULL);
	for (int i = 0; i < 20; i++)
		pthread_join(threads[i], NULL);
}

static void step(struct hotpath_future *future)
{
	HOTPATH_FUTURE_POLL(future);
	HOTPATH_BLOCK("inside", { spend(1000); });
}

/* Polled on several threads, one after the other. */
static void *step_thrice(void *future)
{
	for (int i = 0; i < 3; i++)
		step(future);
	return NULL;
}

static void finish(struct hotpath_future *future, int nth)
{
	HOTPATH_FUTURE_POLL(future);
	if (nth % 4 == 3)
		HOTPATH_FUTURE_CANCEL(future);
	else
		HOTPATH_FUTURE_READY_LOG(future, nth);
	/* It is over: nobody looks into it any more. */
	memset(future, 0xa5, sizeof(*future));
}

static void futures(void)
{
	for (int i = 0; i < 40; i++) {
		struct hotpath_future *future = malloc(sizeof(*future));
		pthread_t thread;

		HOTPATH_FUTURE_NEW(future, "work");
		pthread_create(&thread, NULL, step_thrice, future);
		pthread_join(thread, NULL);
		finish(future, i);
		free(future);
	}
}

/* Received before they are sent, as where both are said when the queue is not locked any more. */
static void early(void)
{
	struct hotpath_channel channel;

	HOTPATH_CHANNEL_NEW(&channel, "early", 0);
	for (int i = 0; i < 10; i++) {
		HOTPATH_CHANNEL_RECV(&channel);
		HOTPATH_CHANNEL_SEND(&channel, 1);
	}
}

enum {
	DEEP = 100000,
};

/* Far more than there are stamps, again and again; and what is in it is received later and later. */
static void deep(void)
{
	static uint64_t sent[2 * DEEP], delays[2 * DEEP];
	struct hotpath_channel channel;
	uint64_t last = 0, first = 0;

	HOTPATH_CHANNEL_NEW(&channel, "deep", 0);
	while (last < 2 * DEEP) {
		for (int i = 0; i < DEEP / 2; i++) {
			sent[last++] = own_clock();
			HOTPATH_CHANNEL_SEND(&channel, 1);
		}
		for (int i = 0; i < DEEP / 4 || (last == 2 * DEEP && first < last); i++) {
			delays[first] = own_clock() - sent[first];
			HOTPATH_CHANNEL_RECV(&channel);
			first++;
		}
	}
	truth("@most", 5 * DEEP / 4);
	qsort(delays, first, sizeof(*delays), compare_delays);
	/* A thread that is not executed for a while makes steps: what is next to one is not what was measured. */
	truth("@p50_low", delays[first * 495 / 1000]);
	truth("@p50_high", delays[first * 505 / 1000]);
	truth("@p95_low", delays[first * 945 / 1000]);
	truth("@p95_high", delays[first * 955 / 1000]);
}

/* More than the program said that there would be. */
static void over(void)
{
	struct hotpath_channel few, many;

	HOTPATH_CHANNEL_NEW(&few, "few", 2);
	for (int i = 0; i < 5; i++)
		HOTPATH_CHANNEL_SEND(&few, 1);
	HOTPATH_CHANNEL_NEW(&many, "many", 2);
	for (int i = 0; i < 50; i++)
		HOTPATH_CHANNEL_SEND(&many, 1);
	for (int i = 0; i < 50; i++)
		HOTPATH_CHANNEL_RECV(&many);
}

/* After very many have been open at once, one of them has as much room as any before. */
static void again(void)
{
	static struct hotpath_channel crowd[4000];
	struct hotpath_channel one;

	for (int i = 0; i < 4000; i++)
		HOTPATH_CHANNEL_NEW(&crowd[i], "crowd", 0);
	for (int i = 0; i < 4000; i++)
		HOTPATH_CHANNEL_CLOSE(&crowd[i]);
	HOTPATH_CHANNEL_NEW(&one, "one", 0);
	for (int i = 0; i < 1000; i++)
		HOTPATH_CHANNEL_SEND(&one, 1);
	for (int i = 0; i < 1000; i++)
		HOTPATH_CHANNEL_RECV(&one);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = { { "wrong", wrong },     { "million", million }, { "iter", iter },
		      { "oneshot", oneshot }, { "values", values },   { "several", several },
		      { "keys", keys },	      { "futures", futures }, { "early", early },
		      { "deep", deep },	      { "over", over },	      { "again", again } };

	HOTPATH_MAIN();
	for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(*cases); i++)
		if (strcmp(argv[1], cases[i].name) == 0)
			cases[i].run();
	return 0;
}
