/* SPDX-License-Identifier: MIT */
/*
 * What is kept of a GTask. It hangs on the task itself, and goes with it.
 *
 * The memory is not the program's: what it allocates is to be what it allocates without us.
 */
#ifndef GLIB_TASKS_H
#define GLIB_TASKS_H

#include "next.h"

enum outcome {
	OUTCOME_NONE = 0,
	OUTCOME_READY = 1,
	OUTCOME_CANCELLED = 2,
};

struct task {
	struct hotpath_future future;
	/* Of the program. */
	GAsyncReadyCallback callback;
	GTaskThreadFunc work;
	/* When it was put in line for a thread. */
	uint64_t lined_up;
	/* An enum outcome; several threads may say so. */
	uint32_t outcome;
	/* Its future has ended; a thread is in one of its functions. Who changes that does it alone. */
	uint32_t has_ended;
	uint32_t is_polled;
	/* It has a callback that will be called. */
	bool is_awaited;
	/* While it is free: the number of the next free one. */
	uint32_t next_free;
};

/** All zeros; NULL when there are too many, or no memory. */
struct task *task_take(void);
void task_give_back(struct task *task);

#endif
