/* SPDX-License-Identifier: MIT */
/*
 * The table of what is in flight.
 *
 *	stripe ─► lock, spare flights
 *	  └─► buckets ─► flight ─► flight …
 *
 * The hash of an address selects a stripe. Its lock is held only while a short list is walked. A forked child keeps the
 * table, because its loops go on: so all locks are taken before a fork, and released after it.
 */
#include "flight.h"

#include "atomic.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

enum {
	STRIPES = 64,
	/* Buckets of one stripe. */
	BUCKETS = 64,
	/* Bytes that are mapped at a time, for one stripe. */
	CHUNK = 16384,
	/* How often a lock is tried before the thread yields the processor. */
	SPINS = 100,
};

struct stripe {
	uint32_t is_locked;
	struct flight *spare;
	struct flight *buckets[BUCKETS];
};

static struct stripe stripes[STRIPES];
static uint64_t last_number;
/* This thread holds a lock; a signal handler on it must not try to take one. */
static __thread bool is_holding __attribute__((tls_model("initial-exec")));

static uint64_t hash(uintptr_t key)
{
	/* Fibonacci hashing: the highest bits are the best mixed. */
	return (uint64_t)key * UINT64_C(0x9e3779b97f4a7c15);
}

static struct stripe *stripe_of(uintptr_t key)
{
	return &stripes[hash(key) >> 58];
}

static struct flight **bucket_of(uintptr_t key)
{
	return &stripe_of(key)->buckets[hash(key) >> 52 & (BUCKETS - 1)];
}

static_assert(STRIPES == 1 << 6 && BUCKETS == 1 << 6, "so many bits of the hash are used");

static void lock(struct stripe *stripe)
{
	unsigned spins = 0;

	is_holding = true;
	signal_fence();
	/* ACQUIRE: pairs with unlock. */
	while (exchange(&stripe->is_locked, 1, ACQUIRE))
		while (load(&stripe->is_locked, RELAXED))
			if (++spins % SPINS == 0)
				sched_yield();
}

static void unlock(struct stripe *stripe)
{
	store(&stripe->is_locked, 0, RELEASE);
	signal_fence();
	is_holding = false;
}

/* The pointer in its bucket's list that points to a flight; if there is none, the NULL at the end of the list. */
static struct flight **place_of(uintptr_t key)
{
	struct flight **place = bucket_of(key);

	while (*place && (*place)->key != key)
		place = &(*place)->next;
	return place;
}

static void add_spare(struct stripe *stripe)
{
	struct flight *more = mmap(NULL, CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				   -1, 0);

	for (size_t i = 0; more != MAP_FAILED && i < CHUNK / sizeof(*more); i++) {
		more[i].next = stripe->spare;
		stripe->spare = &more[i];
	}
}

struct flight *flight_new(uintptr_t key)
{
	struct stripe *stripe = stripe_of(key);

	lock(stripe);
	if (!stripe->spare)
		add_spare(stripe);
	struct flight *flight = stripe->spare;
	if (flight)
		stripe->spare = flight->next;
	unlock(stripe);
	if (!flight) {
		hotpath__probe_lost();
		return NULL;
	}
	*flight = (struct flight){
		.key = key,
		.number = fetch_add(&last_number, 1, RELAXED) + 1,
	};
	return flight;
}

void flight_free(struct flight *flight)
{
	struct stripe *stripe = stripe_of(flight->key);

	lock(stripe);
	flight->next = stripe->spare;
	stripe->spare = flight;
	unlock(stripe);
}

/* Remove a flight from its list; NULL when there is none. */
static struct flight *unlink_at(struct flight **place)
{
	struct flight *flight = *place;

	if (flight)
		*place = flight->next;
	return flight;
}

struct flight *flight_put(struct flight *flight)
{
	struct stripe *stripe = stripe_of(flight->key);
	struct flight **bucket = bucket_of(flight->key);

	lock(stripe);
	struct flight *before = unlink_at(place_of(flight->key));
	flight->next = *bucket;
	*bucket = flight;
	unlock(stripe);
	return before;
}

struct flight *flight_take(uintptr_t key)
{
	struct stripe *stripe = stripe_of(key);

	lock(stripe);
	struct flight *flight = unlink_at(place_of(key));
	unlock(stripe);
	return flight;
}

struct flight *flight_find(uintptr_t key)
{
	struct stripe *stripe = stripe_of(key);

	lock(stripe);
	struct flight *flight = *place_of(key);
	unlock(stripe);
	return flight;
}

struct flight *flight_hold(uintptr_t key, bool *is_held)
{
	*is_held = !is_holding;
	if (!*is_held)
		return NULL;
	lock(stripe_of(key));
	return *place_of(key);
}

void flight_release(uintptr_t key, bool is_held)
{
	if (is_held)
		unlock(stripe_of(key));
}

/* If a signal handler forks while its thread holds a lock, none is taken here, since that could deadlock; the
   child has that lock then. */
static __thread bool holds_all __attribute__((tls_model("initial-exec")));

static void before_fork(void)
{
	holds_all = !is_holding;
	for (size_t i = 0; holds_all && i < STRIPES; i++)
		lock(&stripes[i]);
}

static void after_fork(void)
{
	for (size_t i = 0; holds_all && i < STRIPES; i++)
		unlock(&stripes[i]);
	holds_all = false;
}

__attribute__((constructor)) static void watch_forks(void)
{
	pthread_atfork(before_fork, after_fork, after_fork);
}
