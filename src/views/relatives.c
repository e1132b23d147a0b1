/* SPDX-License-Identifier: MIT */
/* Callers and callees of a function, by all that is known of it. */
#include "relatives.h"

#include "allocated_table.h"
#include "function_names.h"
#include "sampled_table.h"

#include <errno.h>

int hp_relatives_write(const struct hp_model *model, enum hp_direction direction, const char *name,
		       const struct hp_report_options *options, struct hp_text *text)
{
	const char *in_stacks = hp_function_in_stacks(model, name);
	bool found = (model->has_tree &&
		      hp_neighbours_write(model, direction, name, options, text) == 0) ||
		     hp_sampled_write(model, direction, in_stacks, options, text) == 0;

	found |= hp_allocated_write(model, direction, in_stacks, !found, options, text) == 0;
	return found ? 0 : -ENOENT;
}
