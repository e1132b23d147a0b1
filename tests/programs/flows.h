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
	/* How long it was full, since when it is, and how often that was; and how long threads waited for room, and for a
	   message. */
	uint64_t full, full_since, times_full;
	uint64_t send_waited, receive_waited;
};

HOTPATH_SKIP static inline void queue_send(struct queue *queue, uint64_t bytes)
{
	pthread_mutex_lock(&queue->lock);
	uint64_t began = queue->count == queue->capacity ? own_clock() : 0;
	if (began)
		HOTPATH_CHANNEL_WAIT(&queue->channel);
	while (queue->count == queue->capacity)
		pthread_cond_wait(&queue->changed, &queue->lock);
	uint64_t now = own_clock();
	queue->send_waited += began ? now - began : 0;
	queue->sent[(queue->first + queue->count) % QUEUE_ROOM] = now;
	HOTPATH_CHANNEL_SEND(&queue->channel, bytes);
	queue->sends++;
	if (++queue->count > queue->most)
		queue->most = queue->count;
	queue->full_since = now;
	pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
}

/* False when it is closed and empty. */
HOTPATH_SKIP static inline bool queue_receive(struct queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	uint64_t began = queue->count ? 0 : own_clock();
	if (began)
		HOTPATH_CHANNEL_WAIT(&queue->channel);
	while (!queue->count && !queue->closed)
		pthread_cond_wait(&queue->changed, &queue->lock);
	bool any = queue->count;
	if (any) {
		uint64_t now = own_clock();
		queue->receive_waited += began ? now - began : 0;
		queue->full += queue->count == queue->capacity ? now - queue->full_since : 0;
		queue->times_full += queue->count == queue->capacity;
		queue->delays[queue->receives++] = now - queue->sent[queue->first % QUEUE_ROOM];
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
	truth("@full", queue->full);
	truth("@times_full", queue->times_full);
	truth("@send_waited", queue->send_waited);
	truth("@receive_waited", queue->receive_waited);
	truth("@p50", queue->delays[queue->receives / 2]);
	truth("@p95", queue->delays[queue->receives * 95 / 100]);
	truth("@p99", queue->delays[queue->receives * 99 / 100]);
}

#endif
