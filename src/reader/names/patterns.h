/* SPDX-License-Identifier: MIT */
/* Reports selection patterns of `hotpath cc` that match no function. */
#ifndef HP_PATTERNS_H
#define HP_PATTERNS_H

#include "model.h"
#include "process/snapshot.h"

/**
 * Add a note for every pattern of a module that matches no function of the module: it is probably mistyped, and may
 * be the reason why nothing was measured.
 *
 * @return
 *         False when memory ran out.
 */
bool hp_patterns_check(const struct hp_snapshot *snapshot, struct hp_model *model);

#endif
