/* SPDX-License-Identifier: MIT */
/*
 * Reads a run again and again, for the server, the console and `hotpath top`: a process that has ended is read once.
 *
 * A run may have hundreds of processes, of which few run at a time. The models of the others are taken out of the earlier model of
 * the run, and become members of the next.
 */
#ifndef RUN_AGAIN_H
#define RUN_AGAIN_H

#include "process/proc_tasks.h"
#include "run_reader.h"
#include "run_segments.h"

/** The segment of a process, and its member in the model of the run. */
struct run_kept {
	char *path;
	struct hp_model *member;
};

struct run_kept_list {
	struct run_kept *items;
	size_t count;
	size_t room;
};

struct run_again {
	/** The earlier model of the run; NULL before the first. */
	struct hp_model *model;
	/** Its members; and those of the model that is being made. */
	struct run_kept_list before;
	struct run_kept_list next;
	/** The last readings of the threads of processes that run, and when this reading of the run began. */
	struct hp_task_history *tasks;
	size_t task_count;
	size_t task_room;
	uint64_t began_ns;
};

/** Take the model of a process that had ended when it was read; NULL if there is none, or again is NULL. */
struct hp_model *run_again_take(struct run_again *again, const struct hp_found *found);

/**
 * Take the models of processes whose segments are gone: whoever runs the program has folded them, and keeps that to itself until
 * the run has ended.
 *
 * @return
 *         False when memory ran out.
 */
bool run_again_take_gone(struct run_again *again, const struct hp_found_list *list,
			 struct models *models);

/** Note from which segment a member of the next model is. Does nothing if again is NULL. */
void run_again_note(struct run_again *again, const char *path, struct hp_model *member);

/** The last reading of a process's threads, to be replaced; NULL if again is NULL, or memory ran out. Valid until the next call. */
struct hp_task_history *run_again_tasks(struct run_again *again, uint32_t pid);

/** How runs are read by whoever watches them. */
extern const struct hp_run_reader run_reader;

#endif
