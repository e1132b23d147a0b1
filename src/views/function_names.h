/* SPDX-License-Identifier: MIT */
/* Finds functions by the names that users give. */
#ifndef HP_FUNCTION_NAMES_H
#define HP_FUNCTION_NAMES_H

#include "model.h"

/** The name that a function has in stacks, given that of the source: "parse" may be "parse (in main)", because it was inlined. */
const char *hp_function_in_stacks(const struct hp_model *model, const char *name);

/** The name that a function has in tables: that of the source if it is measured, else as in stacks. */
const char *hp_function_shown(const struct hp_model *model, const char *name);

/** Whether a measured function has a name. */
bool hp_function_is_measured(const struct hp_model *model, const char *name);

/** Whether a function is known by a name in tables: it is measured, or in a stack. */
bool hp_function_is_known(const struct hp_model *model, const char *name);

/** The name of a function that was probably meant by a mistyped one; NULL when there is none. */
const char *hp_function_nearest(const struct hp_model *model, const char *name);

#endif
