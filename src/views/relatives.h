/* SPDX-License-Identifier: MIT */
/* Callers and callees of a function, by all that is known of it. */
#ifndef HP_RELATIVES_H
#define HP_RELATIVES_H

#include "neighbours.h"

/**
 * Write tables, or one object in JSON, of the callers or callees of the functions with a name: from measured calls or, for a
 * function that is only sampled, from stacks; and by what was allocated in it.
 *
 * @return
 *         0, or -ENOENT when nothing is known of the function, and then nothing is written.
 */
int hp_relatives_write(const struct hp_model *model, enum hp_direction direction, const char *name,
		       const struct hp_report_options *options, struct hp_text *text);

#endif
