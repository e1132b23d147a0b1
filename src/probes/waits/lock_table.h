/* SPDX-License-Identifier: MIT */
/*
 * A hash table of locks, by address.
 *
 *	hash of the address ─► slot · slot · slot … a window of LOCKS_WINDOW slots; the lock is in one of them
 *
 * A lock is added when it is initialised, or used for the first time, without a lock of our own: whoever stores its
 * address in a free slot first. It is removed when it is destroyed. The whole table is mapped once; unused pages take
 * no memory.
 */
#ifndef WAITS_LOCK_TABLE_H
#define WAITS_LOCK_TABLE_H

#include "atomic.h"
#include "processor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
	LOCKS_BITS = 16,
	LOCKS_WINDOW = 8,
	LOCK_LABEL = 40,
};

/** How a lock is held. */
enum mode {
	/* By one thread: a mutex, a spin lock, a writer. */
	ALONE,
	/* By readers. */
	SHARED_MODE,
	/* Not at all: a condition variable, a semaphore or the like, which is waited for. */
	TARGET_MODE,
	MODES,
};

/* In place of the time: the lock is held, and nobody asked since when. */
#define HELD UINT64_C(1)

/** Who holds a lock. */
struct hold {
	/* In ticks, or HELD; 0 when nobody does, or it is not recorded. */
	uint64_t since;
	/* The return address of the call that acquired it; and the site of the innermost measured call around, 0 for
	   none. */
	uintptr_t from;
	uint32_t call;
	uint32_t tid;
};

struct lock {
	/* Its address; 0 when the slot is free. */
	uintptr_t key;
	/* By mode; 0 until it is first acquired in this mode. They stay the same in a forked child. */
	uint32_t sites[MODES];
	/* The number by which lanes know it; 0 for none, and for one that a thread acquires and another one releases. */
	uint32_t number;
	/* Written by the thread that holds the lock alone; others read it while they wait. */
	struct hold hold;
	/* So are: the stat in which the holder counts, NULL when that is not known, or the thread owes something; and
	   the place of the number in its lane. */
	struct hp_stat *stat;
	uint32_t place;
	/* From here on, what is seldom used, or while there is contention. The return address of the call that
	   initialised the lock; 0 if it was not seen. */
	uintptr_t made_by;
	/* Threads that wait, and that hold it as readers. */
	uint32_t waiters;
	uint32_t readers;
	/* As given by the program; or "". */
	char label[LOCK_LABEL];
} __attribute__((aligned(128)));

extern struct lock *locks;

static inline struct lock *locks_slot(struct lock *slots, uintptr_t key, unsigned i)
{
	uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - LOCKS_BITS);

	return slots + ((hash + i) & ((1u << LOCKS_BITS) - 1));
}

/** Find a lock; NULL when it is not known. */
static inline struct lock *locks_find(const volatile void *address)
{
	struct lock *slots = load(&locks, CONSUME);

	for (unsigned i = 0; likely(slots != NULL) && i < LOCKS_WINDOW; i++) {
		struct lock *slot = locks_slot(slots, (uintptr_t)address, i);
		if (likely(load(&slot->key, RELAXED) == (uintptr_t)address))
			return slot;
	}
	return NULL;
}

/** Map the table; NULL when there is no memory. The first lock does it otherwise. */
struct lock *locks_reserve(void);

/** Find a lock, or add it; NULL when there is no room. */
struct lock *locks_add(const volatile void *address);

/** Remove a lock. No thread uses it. */
void locks_forget(struct lock *lock);

#pragma GCC visibility pop

#endif
