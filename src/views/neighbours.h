/* SPDX-License-Identifier: MIT */
/* Callers and callees of a function, from the call tree. */
#ifndef HP_NEIGHBOURS_H
#define HP_NEIGHBOURS_H

#include "model.h"
#include "report_options.h"
#include "text.h"

enum hp_direction {
	HP_CALLERS,
	HP_CALLEES,
};

/**
 * Write a table or JSON of the callers, or of the callees, of the functions with a name.
 *
 * Functions with the same name are taken together. A row is one neighbour. For callers, its figures are those of the
 * function when called by this caller; for callees, those of the callee when called by the function. Shares are of
 * the function's total. Nested calls count once in a row.
 *
 * @return
 *         0, or -ENOENT when the function is not in the tree, and then nothing is written.
 */
int hp_neighbours_write(const struct hp_model *model, enum hp_direction direction, const char *name,
			const struct hp_report_options *options, struct hp_text *text);

#endif
