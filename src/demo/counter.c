/* SPDX-License-Identifier: MIT */
/* The counter, on which orders wait for clerks, and the files, in which receipts are kept for a while. */
#include "shop.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum {
	COUNTER_ROOM = 64,
	FILES_ROOM = 512,
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t filled;
	char *orders[COUNTER_ROOM];
	unsigned first;
	unsigned count;
} counter = { .lock = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER };

static struct {
	pthread_mutex_t lock;
	char *receipts[FILES_ROOM];
	unsigned next;
} files = { .lock = PTHREAD_MUTEX_INITIALIZER };

void counter_put(char *order)
{
	pthread_mutex_lock(&counter.lock);
	if (counter.count < COUNTER_ROOM) {
		counter.orders[(counter.first + counter.count++) % COUNTER_ROOM] = order;
		order = NULL;
	}
	pthread_cond_signal(&counter.filled);
	pthread_mutex_unlock(&counter.lock);
	free(order);
}

char *counter_take(void)
{
	pthread_mutex_lock(&counter.lock);
	while (counter.count == 0)
		pthread_cond_wait(&counter.filled, &counter.lock);
	char *order = counter.orders[counter.first];
	counter.first = (counter.first + 1) % COUNTER_ROOM;
	counter.count--;
	pthread_mutex_unlock(&counter.lock);
	return order;
}

void files_keep(char *receipt)
{
	pthread_mutex_lock(&files.lock);
	char *oldest = files.receipts[files.next];
	files.receipts[files.next] = receipt;
	files.next = (files.next + 1) % FILES_ROOM;
	pthread_mutex_unlock(&files.lock);
	free(oldest);
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
