/* SPDX-License-Identifier: MIT */
/* Finds threads that wait for each other in a circle. */
#ifndef HP_DEADLOCK_H
#define HP_DEADLOCK_H

#include "blocked_list.h"

/** A thread that holds a lock. */
struct hp_hold {
	uint32_t lock;
	uint32_t tid;
};

/** Sort by lock and thread. */
void hp_holds_sort(struct hp_hold *holds, size_t count);

/** The first of those who hold a lock, and how many there are; NULL for none. */
const struct hp_hold *hp_holds_of(const struct hp_hold *holds, size_t count, uint32_t lock,
				  size_t *found);

/**
 * Mark the threads that wait for each other in a circle, and set the holder of each to the next one.
 *
 * @param list
 *         Of one process, and sorted.
 * @param locks
 *         For each thread in the list, the number of the lock that it waits for without an end; 0 if it does not.
 * @param holds
 *         Who holds what, sorted.
 * @return
 *         False when memory ran out.
 */
bool hp_deadlocks_find(struct hp_blocked_list *list, const uint32_t *locks,
		       const struct hp_hold *holds, size_t hold_count);

/** Take back what was marked of circles that have lost a thread. */
void hp_deadlocks_check(struct hp_blocked_list *list);

#endif
