/* SPDX-License-Identifier: MIT */
/*
 * What functions waited for: the rows of the kinds about waits, by function.
 *
 * A wait belongs to the innermost measured function; where none is measured, to the function that made the call.
 */
#ifndef HP_WAITED_H
#define HP_WAITED_H

#include "model.h"
#include "verdict.h"

/** One row of a kind about waits. The strings belong to the model. */
struct hp_waited_row {
	const char *function;
	enum hp_waiting waiting;
	/** The lock; the file or peer; or the reason to be idle, such as "poll". NULL when not known. */
	const char *target;
	/** The function that held the lock; the operation; or what was slept on. NULL when not known. */
	const char *detail;
	uint64_t count;
	uint64_t ns;
	/** In the first row of a function: how many measured functions have this name. */
	size_t claims;
};

/** Rows of several functions, or of one: sorted by function, then by class, target and time, the longest first. */
struct hp_waited {
	struct hp_waited_row *rows;
	size_t count;
};

/** The largest target of a class, and the largest detail of that. */
struct hp_waited_most {
	const char *target;
	uint64_t target_ns;
	const char *detail;
	uint64_t detail_ns;
};

/** Whether any wait was recorded. */
bool hp_waited_is_known(const struct hp_model *model);

/** Whether it is known how long waits go on that have not ended, and those of functions do not leave them out. */
bool hp_waited_has_now(const struct hp_model *model);

/** The row of such a wait. */
struct hp_waited_row hp_waited_now(const struct hp_model *model,
				   const struct hp_blocked_thread *thread);

/** Collect all rows. Returns false when memory ran out; either way, the rows are to be freed. */
bool hp_waited_collect(struct hp_waited *all, const struct hp_model *model);

/** The rows of a function, which are a part of the list. */
struct hp_waited hp_waited_of(const struct hp_waited *all, const char *function);

/** Add up the times of rows, by class. */
void hp_waited_sum(const struct hp_waited *waited, uint64_t sums[HP_WAITINGS]);

/** How often a thread was woken, in waits other than I/O. */
uint64_t hp_waited_wakes(const struct hp_waited *waited);

/** Find what rows of one function waited for most, in a class. */
struct hp_waited_most hp_waited_most(const struct hp_waited *waited, enum hp_waiting waiting);

/** Find the function that waited longest, in a class; its rows. */
struct hp_waited hp_waited_longest(const struct hp_waited *all, enum hp_waiting waiting);

#endif
