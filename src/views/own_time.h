/* SPDX-License-Identifier: MIT */
/* The own time of functions, including calls in progress. */
#ifndef HP_OWN_TIME_H
#define HP_OWN_TIME_H

#include "model.h"

/**
 * The time of each function, by row, less that of the measured calls in it.
 *
 * @return
 *         An array, to be freed; NULL when memory ran out.
 */
uint64_t *hp_own_times(const struct hp_model *model);

#endif
