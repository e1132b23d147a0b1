/* SPDX-License-Identifier: MIT */
/*
 * A queue of the program's own, with a mutex and a condition: it holds a few parcels at most, and who wants to put in
 * one more has to wait. A struct beside it, and a line where parcels go in and out, show what goes on in it.
 */
#include <hotpath.h>

#include <pthread.h>

#include "own_clock.h"

enum {
	PARCELS = 2000,
	SENDERS = 2,
	RECEIVERS = 2,
	SHELF = 16,
	PARCEL_BYTES = 512,
};

struct parcel {
	int number;
	uint64_t since;
};

/* A ring of parcels. */
struct shelf {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct parcel parcels[SHELF];
	unsigned first;
	unsigned count;
	struct hotpath_channel channel;
};

static struct shelf shelf = { .lock = PTHREAD_MUTEX_INITIALIZER,
			      .changed = PTHREAD_COND_INITIALIZER };

static void put(struct shelf *into, int number)
{
	pthread_mutex_lock(&into->lock);
	while (into->count == SHELF)
		pthread_cond_wait(&into->changed, &into->lock);
	into->parcels[(into->first + into->count++) % SHELF] = (struct parcel){ number,
										own_clock_now() };
	HOTPATH_CHANNEL_SEND_LOG(&into->channel, PARCEL_BYTES, "parcel %d", number);
	pthread_cond_broadcast(&into->changed);
	pthread_mutex_unlock(&into->lock);
}

static struct parcel take(struct shelf *from)
{
	pthread_mutex_lock(&from->lock);
	while (from->count == 0)
		pthread_cond_wait(&from->changed, &from->lock);
	struct parcel parcel = from->parcels[from->first];
	from->first = (from->first + 1) % SHELF;
	from->count--;
	HOTPATH_CHANNEL_RECV(&from->channel);
	own_clock_add("waited", parcel.since);
	pthread_cond_broadcast(&from->changed);
	pthread_mutex_unlock(&from->lock);
	return parcel;
}

static void *send_parcels(void *unused)
{
	for (int i = 1; i <= PARCELS / SENDERS; i++)
		put(&shelf, i);
	return unused;
}

static void deliver(struct parcel parcel)
{
	HOTPATH_MEASURE();
	const struct timespec time = { .tv_nsec = 20000 };

	(void)parcel;
	nanosleep(&time, NULL);
}

static void *deliver_parcels(void *unused)
{
	for (int i = 0; i < PARCELS / RECEIVERS; i++)
		deliver(take(&shelf));
	return unused;
}

int main(void)
{
	HOTPATH_MAIN();
	pthread_t threads[SENDERS + RECEIVERS];

	HOTPATH_CHANNEL_NEW(&shelf.channel, "shelf", SHELF);
	for (int i = 0; i < SENDERS + RECEIVERS; i++)
		pthread_create(&threads[i], NULL, i < SENDERS ? send_parcels : deliver_parcels,
			       NULL);
	for (int i = 0; i < SENDERS + RECEIVERS; i++)
		pthread_join(threads[i], NULL);
	HOTPATH_CHANNEL_CLOSE(&shelf.channel);
	return 0;
}
