/* SPDX-License-Identifier: MIT */
/* The recent calls of a function as rows: how long each took, how long ago, on which thread, what it returned. */
#ifndef HP_RECENT_GRID_H
#define HP_RECENT_GRID_H

#include "grid.h"
#include "reader.h"

/** The calls must outlive the grid. */
void hp_recent_grid(struct hp_grid *grid, const struct hp_recent *calls, size_t count);

#endif
