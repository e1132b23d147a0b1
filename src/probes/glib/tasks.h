/* SPDX-License-Identifier: MIT */
/*
 * The probe's data of a GTask, attached to the task as qdata and freed with it.
 *
 * It is not allocated by malloc, so that the program's allocations are the same as without the probe.
 */
#ifndef GLIB_TASKS_H
#define GLIB_TASKS_H

#include "hotpath/abi.h"

#include "libglib.h"

#include <stdbool.h>

enum outcome {
	OUTCOME_NONE = 0,
	OUTCOME_READY = 1,
	OUTCOME_CANCELLED = 2,
};

struct task {
	struct hotpath_future future;
	/* The program's functions. */
	GAsyncReadyCallback callback;
	GTaskThreadFunc work;
	/* When the task was queued for a thread. */
	uint64_t lined_up;
	/* An enum outcome; several threads may set it. */
	uint32_t outcome;
	/* Its future has ended; a thread is in one of its functions. Both are set by an atomic exchange, so that
	   one thread succeeds. */
	uint32_t has_ended;
	uint32_t is_polled;
	/* The result is handed over to a callback. */
	bool is_awaited;
	/* While the struct is free: the number of the next free one. */
	uint32_t next_free;
};

/** A struct of zeros; NULL when there are too many, or no memory. */
struct task *task_take(void);
void task_give_back(struct task *task);

#endif
