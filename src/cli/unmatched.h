/* SPDX-License-Identifier: MIT */
/* A pattern that matches nothing is likely mistyped. */
#ifndef UNMATCHED_H
#define UNMATCHED_H

#include "model.h"
#include "options.h"

/**
 * Print one line on standard error when what is to be excluded matches no function of any model. Of a
 * focus that matches none the report itself tells.
 */
void warn_unmatched(const struct input *input, struct hp_model *const *models, size_t count);

#endif
