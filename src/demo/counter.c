/* SPDX-License-Identifier: MIT */
/* The counter, on which orders wait for clerks, and the files, in which receipts are kept for a while. */
#include "shop.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	COUNTER_ROOM = 64,
	FILES_ROOM = 512,
	/* To read all that is in the files. */
	READ_US = 120000,
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t filled;
	struct hotpath_channel channel;
	struct order *orders[COUNTER_ROOM];
	unsigned first;
	unsigned count;
} counter = { .lock = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER };

static struct {
	pthread_mutex_t lock;
	struct hotpath_stream stream;
	char *receipts[FILES_ROOM];
	unsigned next;
} files = { .lock = PTHREAD_MUTEX_INITIALIZER };

void counter_open(void)
{
	HOTPATH_CHANNEL_NEW(&counter.channel, "orders", COUNTER_ROOM);
	HOTPATH_STREAM_NEW(&files.stream, "receipts");
}

void counter_put(struct order *order)
{
	pthread_mutex_lock(&counter.lock);
	bool is_full = counter.count == COUNTER_ROOM;
	if (!is_full) {
		counter.orders[(counter.first + counter.count++) % COUNTER_ROOM] = order;
		HOTPATH_CHANNEL_SEND_LOG(&counter.channel, sizeof(*order), "%s", order->text);
		pthread_cond_signal(&counter.filled);
	}
	pthread_mutex_unlock(&counter.lock);
	if (is_full) {
		HOTPATH_FUTURE_CANCEL(&order->future);
		free(order);
	}
}

struct order *counter_take(void)
{
	pthread_mutex_lock(&counter.lock);
	while (counter.count == 0)
		pthread_cond_wait(&counter.filled, &counter.lock);
	struct order *order = counter.orders[counter.first];
	HOTPATH_CHANNEL_RECV(&counter.channel);
	counter.first = (counter.first + 1) % COUNTER_ROOM;
	counter.count--;
	pthread_mutex_unlock(&counter.lock);
	return order;
}

void files_keep(char *receipt)
{
	pthread_mutex_lock(&files.lock);
	HOTPATH_STREAM_YIELD(&files.stream, receipt ? strlen(receipt) : 0);
	char *oldest = files.receipts[files.next];
	files.receipts[files.next] = receipt;
	files.next = (files.next + 1) % FILES_ROOM;
	pthread_mutex_unlock(&files.lock);
	free(oldest);
}

/* Keeps the files locked while it reads them, so that clerks wait for it. */
size_t files_check(void)
{
	HOTPATH_MEASURE();
	size_t length = 0;

	pthread_mutex_lock(&files.lock);
	for (unsigned i = 0; i < FILES_ROOM; i++)
		length += files.receipts[i] ? strlen(files.receipts[i]) : 0;
	wait_us(READ_US);
	pthread_mutex_unlock(&files.lock);
	HOTPATH_RETURN(length);
}

void wait_us(unsigned microseconds)
{
	const struct timespec time = { .tv_sec = microseconds / 1000000,
				       .tv_nsec = (long)(microseconds % 1000000) * 1000 };

	nanosleep(&time, NULL);
}

unsigned next_random(uint32_t *series, unsigned limit)
{
	*series ^= *series << 13;
	*series ^= *series >> 17;
	*series ^= *series << 5;
	return *series % limit;
}
