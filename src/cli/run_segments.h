/* SPDX-License-Identifier: MIT */
/* Reads the segments of a run, each as a model. */
#ifndef RUN_SEGMENTS_H
#define RUN_SEGMENTS_H

#include "process_list.h"
#include "run_model.h"

/** The models of a run, oldest first. */
struct models {
	struct hp_model **items;
	size_t count;
};

/** Whether a segment is one of the run. */
bool run_has(const struct run_source *source, const struct hp_found *found);

/**
 * Read a segment, and fill in what its process did not record itself.
 *
 * @param at
 *         Its place in the list.
 * @param processes
 *         What is known of the processes of the run.
 * @return
 *         NULL if it is not worth a report, or cannot be read, after one line on standard error.
 */
struct hp_model *run_segment(const struct run_source *source, size_t at,
			     const struct hp_processes *processes);

/**
 * Read all segments.
 *
 * @param models
 *         Gets one for each process that measured something, or, if none did, at most one that is empty; to be freed.
 * @return
 *         False when memory ran out.
 */
bool run_segments(const struct run_source *source, const struct hp_processes *processes,
		  struct models *models);

/** A model of what has left nothing: the program that was run. NULL when memory ran out. */
struct hp_model *run_model_of_nothing(const struct run_source *source);

/** Append a model, which is the list's from then on; if memory ran out, it is freed. */
bool models_append(struct models *models, struct hp_model *model);

void models_free(struct models *models);

#endif
