/* SPDX-License-Identifier: MIT */
/* The part of a call tree that a report shows. */
#ifndef HP_PRUNE_H
#define HP_PRUNE_H

#include "model.h"
#include "report_options.h"

/**
 * Copy the part of a call tree that is to be shown.
 *
 * Branches of excluded functions are removed; their children and their own time are added to their caller. With a
 * focus, only the paths to matching functions remain.
 *
 * @param fold_small
 *         Merge branches that are too small for a row of their own into <other> under their parent. With a focus,
 *         none is too small.
 * @param pruned
 *         Shares everything with the model but its branches, which are to be freed.
 * @return
 *         0, or -ENOMEM, and then there is nothing to be freed.
 */
int hp_prune(const struct hp_model *model, const struct hp_report_options *options, bool fold_small,
	     struct hp_model *pruned);

#endif
