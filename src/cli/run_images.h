/* SPDX-License-Identifier: MIT */
/*
 * Images: the programs that a process executes one in place of the other. Each has a segment, and becomes a model of its own.
 *
 * The kernel counts through from the first to the last. So an image knows, as time before it was recorded, what those before it
 * have used; that is taken off, and the sum of all is what the process has used.
 */
#ifndef RUN_IMAGES_H
#define RUN_IMAGES_H

#include "process_list.h"
#include "run_segments.h"

/** Samples and times that the images of a process have used together. */
struct image_use {
	/** How many images these are. */
	uint32_t images;
	uint64_t samples;
	/** Times of the threads that have executed the next image: such a thread keeps them. */
	uint64_t user_ns;
	uint64_t system_ns;
	uint64_t queue_ns;
};

/** Add what an image has used, without what those before it have. */
void image_add_use(struct image_use *use, const struct hp_model *model);

/** Take what the images before it have used off a model, and number it. */
void image_take_off(struct hp_model *model, const struct image_use *before);

/**
 * Take the images of all processes apart.
 *
 * @param processes
 *         The processes of the run, with the samples of those whose segments are folded.
 * @param first
 *         The first model that is of one process: those before are folded.
 */
void images_take_apart(const struct hp_processes *processes, const struct models *models,
		       size_t first);

/**
 * Correct the sum of several members of a run: how many processes they are of, and their memory. If it is one process, the sum is
 * called as its last image. Returns false when memory ran out.
 */
bool images_describe(struct hp_model *sum);

#endif
