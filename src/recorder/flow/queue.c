/* SPDX-License-Identifier: MIT */
/*
 * Queues: one for each open channel, used again when that is closed. A million channels, one after the other, need
 * one queue.
 *
 * A queue keeps its array of stamps for ever. A thread that has not noticed yet that its channel was closed may write a
 * stamp at any time. That does no harm: the receiver of a message checks the number in the stamp.
 */
#include "flow.h"

#include "process/clock.h"
#include "process/lifecycle.h"
#include "process/platform.h"
#include "process/room.h"
#include "process/segment_file.h"

enum {
	STAMPS_LEAST = 16,
	/* At least one message in 1 << SHIFT_MAX has a stamp: its receiver counts all of those at once, which
	   takes time. */
	SHIFT_MAX = 14,
	/* If stamps use more bytes of the segment than this, new channels get the smallest number of them. */
	STAMP_BYTES_MAX = 16 * 1024 * 1024,
};

/* The highest number of a queue. A forked child keeps it: it also has the channels of its parent, whose numbers
   must not match any queue of its own. */
static uint32_t made;

/* The k-th size: 15, 63, 255, 1023. They are odd. */
static uint64_t stamps_of(unsigned size)
{
	return ((uint64_t)STAMPS_LEAST << 2 * size) - 1;
}

/* Enough stamps for the capacity; a queue without a limit gets the largest number. */
static unsigned size_for(uint64_t capacity)
{
	unsigned size = 0;

	while (size < STAMP_SIZES - 1 && (!capacity || stamps_of(size) < capacity))
		size++;
	return size;
}

static struct hp_queue **page_of(uint32_t number)
{
	struct hp_queue ***page = &hotpath__recorder->queues[number / QUEUE_PAGE];

	if (!*page)
		/* Pairs with the CONSUME in hotpath__queue. */
		store(page, hotpath__private(QUEUE_PAGE * sizeof(**page)), RELEASE);
	return *page;
}

/* Allocate a queue with so many stamps; returns its number, or 0. */
static uint32_t make(unsigned size)
{
	struct recorder *recorder = hotpath__recorder;
	struct hp_header *header = hotpath__header();
	uint32_t number = made + 1;
	uint64_t stamp_bytes = stamps_of(size) * sizeof(uint64_t);
	struct hp_queue **page = number < HP_QUEUES_MAX ? page_of(number) : NULL;
	uint64_t at = page ? hotpath__segment_take(sizeof(struct hp_queue) + stamp_bytes) : 0;

	if (!at)
		return 0;
	struct hp_queue *queue = (struct hp_queue *)(void *)(recorder->base + at);
	queue->stamps = at + sizeof(*queue);
	queue->stamp_count = stamps_of(size);
	recorder->stamp_bytes += stamp_bytes;
	queue->next = header->queues;
	store(&page[number % QUEUE_PAGE], queue, RELEASE);
	made = number;
	/* Pairs with the reader's ACQUIRE. */
	store(&header->queues, at, RELEASE);
	return number;
}

/* Take a queue from a free list. The list is linked through the capacity of free queues. */
static uint32_t take_free(unsigned size)
{
	uint32_t *first = &hotpath__recorder->free_queues[size], number = *first;

	if (number)
		*first = (uint32_t)hotpath__queue(number)->capacity;
	return number;
}

/* Take a queue, preferably of this size; if none can be allocated, of any size. */
static uint32_t take(unsigned size)
{
	uint32_t number = take_free(size);

	if (!number && hotpath__recorder->stamp_bytes > STAMP_BYTES_MAX)
		number = take_free(size = 0);
	if (!number)
		number = make(size);
	for (size = STAMP_SIZES; !number && size-- > 0;)
		number = take_free(size);
	return number;
}

/* Put a queue into its free list. The largest number of messages is already in the site's shared. */
static void give(struct hp_queue *queue, uint32_t number)
{
	unsigned size = 0;

	while (stamps_of(size) < queue->stamp_count)
		size++;
	store(&queue->site, 0, RELAXED);
	store(&queue->generation, queue->generation + 1, RELAXED);
	store(&queue->capacity, hotpath__recorder->free_queues[size], RELAXED);
	hotpath__recorder->free_queues[size] = number;
}

/* Prepare a queue for a new channel: no stamp of the channel before may be left. */
static void begin(struct hp_queue *queue, uint32_t site, uint64_t capacity)
{
	uint64_t *stamps = (uint64_t *)(void *)(hotpath__recorder->base + queue->stamps);
	uint64_t sent = load(&queue->sent, RELAXED);

	for (uint64_t i = 0; i < queue->stamp_count; i++)
		store(&stamps[i], 0, RELAXED);
	store(&queue->stamp_shift, 0, RELAXED);
	/* Counting goes on from `sent`, not from zero: a late message of the channel before would see a huge
	   number of messages. */
	store(&queue->received, sent, RELAXED);
	store(&queue->seen, sent, RELAXED);
	store(&queue->most, 0, RELAXED);
	store(&queue->patience, 0, RELAXED);
	store(&queue->capacity, capacity, RELAXED);
	store(&queue->opened, hotpath__ticks(), RELAXED);
	store(&queue->was_full, 0, RELAXED);
	store(&queue->full_ticks, 0, RELAXED);
	/* Pairs with the reader's ACQUIRE: the rest is of this channel. */
	store(&queue->site, site, RELEASE);
}

uint32_t hotpath__queue_take(uint32_t site, uint64_t capacity, uint32_t *generation)
{
	struct guard guard;

	hotpath__lock(&guard);
	uint32_t number = take(size_for(capacity));
	struct hp_queue *queue = number ? hotpath__queue(number) : NULL;
	if (queue) {
		begin(queue, site, capacity);
		*generation = queue->generation;
	}
	hotpath__unlock(&guard);
	if (!number)
		hotpath__count(HP_COUNTER_queues);
	return number;
}

void hotpath__queue_give(struct hp_queue *queue, uint32_t number)
{
	struct guard guard;

	hotpath__lock(&guard);
	give(queue, number);
	hotpath__unlock(&guard);
}

/* Raise a field to a value, atomically; the largest value stays. */
static void lift(uint64_t *field, uint64_t to)
{
	uint64_t was = load(field, RELAXED);

	while (was < to && !__atomic_compare_exchange_n(field, &was, to, false, __ATOMIC_RELAXED,
							__ATOMIC_RELAXED))
		;
}

/* The shift for a number of messages in the queue, so that there are enough stamps for them. */
static uint64_t shift_for(const struct hp_queue *queue, uint64_t depth)
{
	uint64_t shift = load(&queue->stamp_shift, RELAXED);

	if (depth <= queue->stamp_count / 4)
		return 0;
	while (shift < SHIFT_MAX && (depth - 1) >> shift >= queue->stamp_count)
		shift++;
	return shift;
}

/*
 * The number of messages up to which senders need not look at `received` again. If a queue with a limit was full
 * once, it cannot get fuller, so that is the number of its stamps. If it held more than the limit, the program gave
 * us a wrong one.
 */
static uint64_t patience_for(const struct hp_queue *queue, uint64_t shift)
{
	uint64_t most = load(&queue->most, RELAXED), room = queue->stamp_count << shift;
	bool was_full = queue->capacity && most == queue->capacity;

	return most < room && !was_full ? most : room;
}

void hotpath__queue_rises(struct hp_queue *queue, uint64_t sent)
{
	uint64_t received = load(&queue->received, RELAXED);
	uint64_t depth = (int64_t)(sent - received) > 0 ? sent - received : 0;
	struct hp_shared *shared = hotpath__shared_find(queue->site);

	lift(&queue->most, depth);
	if (queue->capacity && depth >= queue->capacity)
		store(&queue->was_full, 1, RELAXED);
	if (shared)
		lift(&shared->most, depth);
	uint64_t shift = shift_for(queue, depth);
	store(&queue->seen, received, RELAXED);
	store(&queue->stamp_shift, shift, RELAXED);
	store(&queue->patience, patience_for(queue, shift), RELAXED);
}
