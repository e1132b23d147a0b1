/* SPDX-License-Identifier: MIT */
/*
 * Reads the state and times of threads, and the memory use, of a running process from /proc.
 *
 * A watcher keeps a history: the present CPU share of a thread is the difference of two readings. Readings that follow each
 * other at once have the same share.
 */
#ifndef HP_PROC_TASKS_H
#define HP_PROC_TASKS_H

#include "model.h"

/** The last reading of the threads of one process. Zero-initialised. */
struct hp_task_history {
	uint32_t pid;
	/** When it was taken, by CLOCK_MONOTONIC. */
	uint64_t when_ns;
	/** By tid. */
	struct hp_task_seen *items;
	size_t count;
};

/** The threads of a process, and the memory and bytes that the kernel counts for it, at one moment. */
struct hp_tasks {
	uint32_t pid;
	/** When they were read, by CLOCK_MONOTONIC. */
	uint64_t now_ns;
	/** Time suspended: how far CLOCK_BOOTTIME, used for start times, is ahead of CLOCK_MONOTONIC. */
	uint64_t suspended_ns;
	uint64_t ticks_per_second;
	/** By tid. */
	struct hp_task_stat *items;
	size_t count;
	/** 0 when not known. */
	uint64_t rss_bytes;
	uint64_t peak_rss_bytes;
	/** Bytes that were read and written since the process began. */
	uint64_t io_bytes;
};

/**
 * Read what the kernel knows of a process now. Who reads a segment does it at the same moment, before a model is made of that:
 * times of threads would be longer than the time that has passed, else.
 *
 * @return
 *         False when memory ran out; either way, it is to be cleared.
 */
bool hp_tasks_take(struct hp_tasks *tasks, uint32_t pid);

/** As hp_tasks_read, with what was read before. */
bool hp_tasks_apply(struct hp_model *model, struct hp_tasks *tasks,
		    struct hp_task_history *history);

void hp_tasks_clear(struct hp_tasks *tasks);

/**
 * Update a model from /proc: set states and times of threads, name those without a name, add those that never
 * recorded anything, and set the memory in use. What cannot be read does not change.
 *
 * @param history
 *         The last read of the same process, or none; this one replaces it. With it, the shares of a core that
 *         threads had since are known, and the most they ever had. NULL for none.
 * @return
 *         False when memory ran out.
 */
bool hp_tasks_read(struct hp_model *model, struct hp_task_history *history);

/** Take a first reading of a process. Returns false when memory ran out. */
bool hp_task_history_begin(struct hp_task_history *history, uint32_t pid);

void hp_task_history_clear(struct hp_task_history *history);

#endif
