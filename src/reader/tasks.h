/* SPDX-License-Identifier: MIT */
/*
 * What the kernel says of the threads of a process that runs, and of the memory that it has in use.
 *
 * Whoever looks again and again keeps a history: what a thread does just now is the difference of two looks.
 */
#ifndef HP_TASKS_H
#define HP_TASKS_H

#include "model.h"

/** What was seen of the threads of one process. Zero to begin with. */
struct hp_task_history {
	uint32_t pid;
	/** By CLOCK_MONOTONIC. */
	uint64_t when_ns;
	/** By tid. */
	struct hp_task_seen *items;
	size_t count;
};

/**
 * Look at a process whose threads and memory are in a model: set states and times of its threads, give those a name
 * that have none, add those that were never recorded, and set the memory in use. What is not to be known stays.
 *
 * @param history
 *         The last look at the same process, or none; this one replaces it. With it, the shares of a core that
 *         threads had since are known, and the most they ever had. NULL for none.
 * @return
 *         False when memory ran out.
 */
bool hp_tasks_read(struct hp_model *model, struct hp_task_history *history);

/** Look at a process, to begin a history. Returns false when memory ran out. */
bool hp_task_history_begin(struct hp_task_history *history, uint32_t pid);

void hp_task_history_clear(struct hp_task_history *history);

#endif
