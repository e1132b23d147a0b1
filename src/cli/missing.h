/* SPDX-License-Identifier: MIT */
/* Explains why requested measurements are missing. */
#ifndef MISSING_H
#define MISSING_H

#include "measured.h"

/**
 * Say in a model why what was asked for is not in it, if it is not.
 *
 * @param path
 *         The file of the program; NULL when it is not known.
 * @param measured
 *         What was asked for, and how the program ended.
 */
void missing_explain(struct hp_model *model, const char *path, const struct measured *measured);

#endif
