/* SPDX-License-Identifier: MIT */
/* Warns about an --exclude pattern that matches nothing: it is probably mistyped. */
#ifndef UNMATCHED_H
#define UNMATCHED_H

#include "model.h"
#include "options.h"

/**
 * Print one line on standard error if --exclude matches no function of the model. For --focus, the report itself says
 * so.
 */
void warn_unmatched(const struct input *input, const struct hp_model *model);

#endif
