/* SPDX-License-Identifier: MIT */
/* Finds source lines of functions that are known by their address, and of calls of malloc. */
#ifndef HP_LINES_H
#define HP_LINES_H

#include "model.h"

/**
 * Use debug information to find file and line of functions that have a symbol but no location yet, and of the calls
 * that allocated live blocks. File names are as passed to the compiler: a relative path stays relative. What is not
 * found does not change.
 */
void hp_lines_fill(struct hp_model *model);

#endif
