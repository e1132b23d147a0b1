/* SPDX-License-Identifier: MIT */
/* A run that is a window of a program which runs on: what happened between two reads. */
#ifndef HP_WINDOW_RUN_H
#define HP_WINDOW_RUN_H

#include "comparison.h"
#include "since.h"

/**
 * Make a run of the time between two reads of a process. It has what a comparison needs and no more, so that many can be kept: no
 * stacks, no call tree, of each histogram one percentile, and no functions in which nothing happened.
 *
 * @param number
 *         The number of the window, for its label.
 * @return
 *         0; or a negative errno with one line in error, as hp_model_since. -ENODATA if measured functions were not called: such a
 *         window tells nothing of them.
 */
int hp_window_run(struct hp_run *run, const struct hp_model *now, const struct hp_earlier *then,
		  uint64_t number, struct hp_error *error);

/** Options for comparing windows: the defaults, with the percentile that windows have. */
void hp_window_options_init(struct hp_compare_options *options);

#endif
