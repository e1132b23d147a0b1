/* SPDX-License-Identifier: MIT */
/* Callers and callees of a function, by samples: as a table or JSON. */
#ifndef HP_SAMPLED_TABLE_H
#define HP_SAMPLED_TABLE_H

#include "cpu/sampled.h"
#include "neighbours.h"

/**
 * Write a table of the first rows: CPU time, exclusive CPU time, and which share of the function's that is.
 *
 * @param header
 *         Of the column with the names.
 */
void hp_sampled_table(const struct hp_sampled *of, const struct hp_sampled_rows *rows, size_t shown,
		      const char *header, uint64_t period_ns,
		      const struct hp_report_options *options, struct hp_text *text);

/**
 * Write a table or JSON of the callers, or of the callees, of the functions with a name, from the stacks of a model.
 *
 * @return
 *         0, or -ENOENT when the function is in no stack, and then nothing is written.
 */
int hp_sampled_write(const struct hp_model *model, enum hp_direction direction, const char *name,
		     const struct hp_report_options *options, struct hp_text *text);

#endif
