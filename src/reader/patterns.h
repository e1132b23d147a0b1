/* SPDX-License-Identifier: MIT */
/* Patterns that were given to select functions, and select none. */
#ifndef HP_PATTERNS_H
#define HP_PATTERNS_H

#include "model.h"
#include "snapshot.h"

/**
 * Note every pattern, of every module that has some, which no function of the module matches: a slip of the
 * pen, and maybe the reason why nothing was measured.
 *
 * @return
 *         False when memory ran out.
 */
bool hp_patterns_check(const struct hp_snapshot *snapshot, struct hp_model *model);

#endif
