/* SPDX-License-Identifier: MIT */
/* From the samples of lanes to the CPU time of a process. */
#ifndef HP_SAMPLES_H
#define HP_SAMPLES_H

#include "model.h"
#include "process/snapshot.h"

/**
 * Read what is not of one function: totals, threads, and stacks.
 *
 * @param rows
 *         For each site, by id, the number of its row in the model plus one; 0 when it has none.
 * @return
 *         False when memory ran out.
 */
bool hp_samples_read(const struct hp_snapshot *snapshot, const uint32_t *rows, bool with_stacks,
		     struct hp_model *model);

#endif
