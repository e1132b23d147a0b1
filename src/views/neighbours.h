/* SPDX-License-Identifier: MIT */
/* Who calls a function, and whom it calls: what the call tree says of it. */
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
 * Write a table or JSON of those who call the functions with a name, or of those whom they call.
 *
 * Functions of the same name are taken together. A row is one neighbour: with callers, its figures are
 * those of the function when called by it; with callees, its own when called by the function. Shares are
 * of the function's total. Time of calls inside each other counts once in a row.
 *
 * @return
 *         0, or -ENOENT when the function is not in the tree, and then nothing is written.
 */
int hp_neighbours_write(const struct hp_model *model, enum hp_direction direction, const char *name,
			const struct hp_report_options *options, struct hp_text *text);

#endif
