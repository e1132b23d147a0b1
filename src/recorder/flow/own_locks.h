/* SPDX-License-Identifier: MIT */
/* What a thread knows of the locks of the program's own make that it waits for or holds; a part of its state. */
#ifndef HOTPATH_OWN_LOCKS_H
#define HOTPATH_OWN_LOCKS_H

#include <stdint.h>

struct hotpath_lock;

enum {
	/* Locks of this kind that a thread may hold at once, and have their times known. */
	OWN_LOCKS_HELD = 8,
};

/* A wait for a lock: when it began, 0 for none; who held the lock then; and how many threads waited. */
struct waited {
	uint64_t since;
	uint64_t holder_from;
	uint32_t holder_call;
	uint32_t waiters;
};

/* A lock that the thread holds: since when, by whom it was acquired, and its wait. */
struct own_hold {
	const struct hotpath_lock *lock;
	uint64_t since;
	uintptr_t from;
	uint32_t site;
	uint32_t call;
	struct waited waited;
};

struct own_locks {
	/* The lock that the thread waits for; NULL for none. */
	const struct hotpath_lock *lock;
	struct waited waited;
	unsigned held_count;
	struct own_hold held[OWN_LOCKS_HELD];
};

#endif
