/* SPDX-License-Identifier: MIT */
/*
 * Blocks that go from thread to thread, and threads that end with blocks of theirs about.
 *
 * usage: alloc_threads handover|short
 */
#include "alloc_truth.h"
#include "truth.h"

#include <pthread.h>
#include <string.h>

/* An emulated machine has a fraction of the work. */
#ifndef FRACTION
#define FRACTION 1
#endif

enum {
	PAIRS = 2,
	BLOCKS = 100000 / FRACTION,
	ROOM = 64,
	KEEP_EVERY = 1000,
	SHORT = 10000,
	AT_ONCE = 4,
	/* Destructors are called again as often as this when they set their key again. */
	ROUNDS = 4,
};

/* ---- handover: each producer has a consumer, which frees ---- */

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	void *blocks[ROOM];
	unsigned first, count;
};

static struct queue queues[PAIRS];
static void *kept[PAIRS][BLOCKS / KEEP_EVERY];

SKIP static size_t size_of(unsigned i)
{
	return i % 37 * 29 + (i % 500 == 0 ? 70000 : 1);
}

SKIP static void put(struct queue *queue, void *block)
{
	pthread_mutex_lock(&queue->lock);
	while (queue->count == ROOM)
		pthread_cond_wait(&queue->changed, &queue->lock);
	queue->blocks[(queue->first + queue->count++) % ROOM] = block;
	pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
}

SKIP static void *take(struct queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	while (!queue->count)
		pthread_cond_wait(&queue->changed, &queue->lock);
	void *block = queue->blocks[queue->first];
	queue->first = (queue->first + 1) % ROOM;
	queue->count--;
	pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
	return block;
}

ALONE static void produce(struct queue *queue, unsigned i)
{
	char *block = malloc(size_of(i));

	*block = 1;
	put(queue, block);
}

ALONE static void consume(struct queue *queue, unsigned i)
{
	void *block = take(queue);

	if (i % KEEP_EVERY)
		free(block);
	else
		kept[queue - queues][i / KEEP_EVERY] = block;
}

SKIP static void *producer(void *queue)
{
	for (unsigned i = 0; i < BLOCKS; i++)
		produce(queue, i);
	return NULL;
}

SKIP static void *consumer(void *queue)
{
	for (unsigned i = 0; i < BLOCKS; i++)
		consume(queue, i);
	return NULL;
}

SKIP static void hand_over(void)
{
	pthread_t threads[2 * PAIRS];
	uint64_t bytes = 0, kept_bytes = 0, kept_blocks = BLOCKS / KEEP_EVERY;

	for (unsigned i = 0; i < PAIRS; i++) {
		pthread_mutex_init(&queues[i].lock, NULL);
		pthread_cond_init(&queues[i].changed, NULL);
		pthread_create(&threads[2 * i], NULL, producer, &queues[i]);
		pthread_create(&threads[2 * i + 1], NULL, consumer, &queues[i]);
	}
	for (unsigned i = 0; i < 2 * PAIRS; i++)
		pthread_join(threads[i], NULL);
	for (unsigned i = 0; i < BLOCKS; i++) {
		bytes += size_of(i);
		kept_bytes += i % KEEP_EVERY ? 0 : size_of(i);
	}
	allocated("produce", PAIRS * bytes, PAIRS * (uint64_t)BLOCKS);
	allocated("consume", 0, 0);
	freed("consume", PAIRS * (bytes - kept_bytes), PAIRS * (BLOCKS - kept_blocks));
	live("produce", PAIRS * kept_bytes, PAIRS * kept_blocks);
}

/* ---- short: threads that end, with destructors that allocate and free ---- */

static pthread_key_t key;

ALONE static void *grow_up(void)
{
	void *block = malloc(100);

	return realloc(block, 300);
}

ALONE static void free_last(void *block)
{
	free(block);
}

/* As late as can be: everything else of the thread may be gone. */
ALONE static void destroy(void *block)
{
	static __thread unsigned round;
	unsigned char *other = malloc(50);

	memset(other, 1, 50);
	free(block);
	if (++round < ROUNDS)
		pthread_setspecific(key, other);
	else
		free_last(other);
}

SKIP static void *live_short(void *unused)
{
	pthread_setspecific(key, grow_up());
	return unused;
}

SKIP static void live_on(void)
{
	pthread_t threads[AT_ONCE];

	pthread_key_create(&key, destroy);
	for (unsigned i = 0; i < SHORT; i += AT_ONCE) {
		for (unsigned j = 0; j < AT_ONCE; j++)
			REQUIRE(pthread_create(&threads[j], NULL, live_short, NULL) == 0);
		for (unsigned j = 0; j < AT_ONCE; j++)
			pthread_join(threads[j], NULL);
	}
	allocated("grow_up", SHORT * 400UL, SHORT * 2UL), freed("grow_up", SHORT * 100UL, SHORT);
	live("grow_up", 0, 0), live("destroy", 0, 0), temporary("destroy", 0);
	truth("@short", SHORT * (400UL + ROUNDS * 50UL));
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "handover") == 0)
		hand_over();
	else
		live_on();
	return 0;
}
