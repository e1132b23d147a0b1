/* SPDX-License-Identifier: MIT */
/* A queue of the program's own, which knows how many messages were in it and how long each was. */
#ifndef FLOWS_H
#define FLOWS_H

#include <hotpath.h>

#include "truth.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

enum {
	QUEUE_ROOM = 2048,
};

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct hotpath_channel channel;
	uint64_t sent[QUEUE_ROOM];
	uint64_t first, count, most, capacity;
	uint64_t sends, receives;
	bool closed;
	/* How long each message was in it. */
	uint64_t *delays;
};

HOTPATH_SKIP static inline void queue_send(struct queue *queue, uint64_t bytes)
{
	pthread_mutex_lock(&queue->lock);
	while (queue->count == queue->capacity)
		pthread_cond_wait(&queue->changed, &queue->lock);
	queue->sent[(queue->first + queue->count) % QUEUE_ROOM] = own_clock();
	HOTPATH_CHANNEL_SEND(&queue->channel, bytes);
	queue->sends++;
	if (++queue->count > queue->most)
		queue->most = queue->count;
	pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
}

/* False when it is closed and empty. */
HOTPATH_SKIP static inline bool queue_receive(struct queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	while (!queue->count && !queue->closed)
		pthread_cond_wait(&queue->changed, &queue->lock);
	bool any = queue->count;
	if (any) {
		queue->delays[queue->receives++] = own_clock() -
						   queue->sent[queue->first % QUEUE_ROOM];
		HOTPATH_CHANNEL_RECV(&queue->channel);
		queue->first++;
		queue->count--;
		pthread_cond_broadcast(&queue->changed);
	}
	pthread_mutex_unlock(&queue->lock);
	return any;
}

HOTPATH_SKIP static inline void queue_close(struct queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	queue->closed = true;
	pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
}

HOTPATH_SKIP static inline int compare_delays(const void *a, const void *b)
{
	uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;

	return first < second ? -1 : first > second;
}

/** What the report is to say of it. */
HOTPATH_SKIP static inline void queue_truth(struct queue *queue)
{
	qsort(queue->delays, queue->receives, sizeof(*queue->delays), compare_delays);
	truth("@sent", queue->sends);
	truth("@received", queue->receives);
	truth("@most", queue->most);
	truth("@p50", queue->delays[queue->receives / 2]);
	truth("@p95", queue->delays[queue->receives * 95 / 100]);
	truth("@p99", queue->delays[queue->receives * 99 / 100]);
}

#endif
