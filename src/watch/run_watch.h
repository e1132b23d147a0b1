/* SPDX-License-Identifier: MIT */
/*
 * Watches a run of several processes: their sum is read again and again.
 *
 * All reads of a run are complete ones, which take a small part of a processor at most. Processes that have ended are read once.
 */
#ifndef HP_RUN_WATCH_H
#define HP_RUN_WATCH_H

#include "run_reader.h"

/** All zero, but for the first two, to begin with. */
struct hp_run_watch {
	const struct hp_run_reader *reader;
	/** Its name. */
	char run[HP_RUN_MAX];
	/** What the reader keeps, with the last model; NULL before the first. */
	void *reading;
	struct hp_model *model;
	/** Why the last read failed; empty if it did not. */
	struct hp_error error;
	/** When it was last read, by CLOCK_MONOTONIC, and until when that will do. */
	uint64_t read_ns;
	uint64_t until_ns;
	/** Numbers that change with what there is of it: its segments as they were found; and all, when it was last read. */
	uint64_t found_version;
	uint64_t read_version;
	/** A process was running when segments were last looked for, or is to come. */
	bool is_live;
};

/** Note what was found of a run: found is any segment of it. */
void hp_run_watch_found(struct hp_run_watch *watch, const struct hp_found_list *list,
			const struct hp_found *found);

/**
 * Read it, unless that was done a short while ago.
 *
 * @param due_ns
 *         When the last model is too old, by CLOCK_MONOTONIC; 0 for now. The last one of a run that has ended is read at once,
 *         and only then.
 * @return
 *         The model, which is valid until the next read; NULL with the reason in error.
 */
struct hp_model *hp_run_watch_read(struct hp_run_watch *watch, uint64_t due_ns,
				   struct hp_error *error);

/** Free its model, and what its reader keeps. */
void hp_run_watch_forget(struct hp_run_watch *watch);

/** Until when a complete model will do that took so much CPU time to read. */
uint64_t hp_use_until(uint64_t now, uint64_t cpu_ns);

#endif
