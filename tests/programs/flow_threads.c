/* SPDX-License-Identifier: MIT */
/*
 * Messages through one queue, from some threads to others.
 *
 * usage: flow_threads MESSAGES SENDERS RECEIVERS CAPACITY
 */
#include "flows.h"

static struct queue queue = { .lock = PTHREAD_MUTEX_INITIALIZER,
			      .changed = PTHREAD_COND_INITIALIZER };
static uint64_t messages;
static unsigned senders;

static void *send_some(void *unused)
{
	for (uint64_t i = 0; i < messages / senders; i++)
		queue_send(&queue, i % 100);
	return unused;
}

static void *receive_all(void *unused)
{
	while (queue_receive(&queue))
		;
	return unused;
}

int main(int argc, char **argv)
{
	HOTPATH_MAIN();
	pthread_t threads[16];

	if (argc < 5)
		return 2;
	messages = strtoull(argv[1], NULL, 10);
	senders = (unsigned)atoi(argv[2]);
	unsigned all = senders + (unsigned)atoi(argv[3]);
	queue.capacity = strtoull(argv[4], NULL, 10);
	queue.delays = calloc(messages, sizeof(*queue.delays));
	HOTPATH_CHANNEL_NEW(&queue.channel, "jobs", queue.capacity);
	for (unsigned i = 0; i < all; i++)
		pthread_create(&threads[i], NULL, i < senders ? send_some : receive_all, NULL);
	for (unsigned i = 0; i < senders; i++)
		pthread_join(threads[i], NULL);
	queue_close(&queue);
	for (unsigned i = senders; i < all; i++)
		pthread_join(threads[i], NULL);
	HOTPATH_CHANNEL_CLOSE(&queue.channel);
	queue_truth(&queue);
	return 0;
}
