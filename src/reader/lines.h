/* SPDX-License-Identifier: MIT */
/* Where in the source functions are that are known by their address, and calls of malloc. */
#ifndef HP_LINES_H
#define HP_LINES_H

#include "model.h"

/**
 * Find file and line of the functions that have a symbol and no place yet, and of the calls by which live
 * blocks were allocated, in what the compiler wrote for debuggers. The file is as the compiler was given it: a relative path stays one. What is not found stays as
 * it is.
 */
void hp_lines_fill(struct hp_model *model);

#endif
