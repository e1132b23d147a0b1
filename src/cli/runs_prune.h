/* SPDX-License-Identifier: MIT */
/* Finds runs of which nothing is left but the files beside their segments. */
#ifndef RUNS_PRUNE_H
#define RUNS_PRUNE_H

#include "reader.h"

/**
 * Remove what is left of runs that have no segment any more and do not go on.
 *
 * @param list
 *         All segments. Those that were removed have no run.
 */
void runs_prune(const struct hp_found_list *list);

/** Remove what is left of one run, of which the list has all segments, if there are none and it does not go on. */
void run_prune(const struct hp_found_list *list, const char *run);

/** Remove what a run has beside its segments: its register, and what was folded. */
void run_remove(const char *run);

#endif
