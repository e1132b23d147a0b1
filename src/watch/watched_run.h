/* SPDX-License-Identifier: MIT */
/* A run that is watched, or a part of its processes: their sum, with recent rates of its rows. */
#ifndef HP_WATCHED_RUN_H
#define HP_WATCHED_RUN_H

#include "model_trends.h"
#include "row_ids.h"
#include "run_watch.h"
#include "watch.h"

/** All zero to begin with, and after hp_watched_run_clear. */
struct hp_watched_run {
	/** The reader is NULL if there is no run. */
	struct hp_run_watch sum;
	/** The processes that the user wants, by the word for them; NULL for all. */
	char *part;
	/** The model that is shown: that of the sum, or of the part, which is our own. */
	struct hp_model *shown;
	struct hp_row_ids ids;
	struct hp_model_trends trends;
	/** By CLOCK_MONOTONIC: when the shown model was read; when that was last tried, and a process last seen running. */
	uint64_t seen_ns;
	uint64_t tried_ns;
	uint64_t going_ns;
	/** Reads so far; and when segments are looked for again. */
	unsigned reads;
	uint64_t look_ns;
};

/** Begin with the run that a segment belongs to. */
void hp_watched_run_begin(struct hp_watched_run *run, const struct hp_run_reader *reader,
			  const struct hp_found_list *list, const struct hp_found *found);

/** Read it again, if that is due. Returns 0, or a negative errno with the reason in error; the last model stays. */
int hp_watched_run_read(struct hp_watched_run *run, struct hp_error *error);

/**
 * Show a part of it, from now on.
 *
 * @param wanted
 *         As for the reader's choose; NULL for all.
 * @return
 *         0, or a negative errno with the reason in error; then nothing is changed.
 */
int hp_watched_run_choose(struct hp_watched_run *run, const char *wanted, struct hp_error *error);

enum hp_watch_state hp_watched_run_state(const struct hp_watched_run *run);

/**
 * Which processes call a function, those with the most calls first.
 *
 * @param calling
 *         An array from malloc, to be freed; NULL when there are none. The tid is the number of the process.
 * @return
 *         How many there are, or -ENOMEM.
 */
ssize_t hp_watched_run_calling(const struct hp_watched_run *run, uint32_t id,
			       struct hp_calling **calling);

void hp_watched_run_clear(struct hp_watched_run *run);

#endif
