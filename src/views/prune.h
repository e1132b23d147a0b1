/* SPDX-License-Identifier: MIT */
/* The part of a call tree that a report shows. */
#ifndef HP_PRUNE_H
#define HP_PRUNE_H

#include "model.h"
#include "report_options.h"

/**
 * Copy a call tree without what is not to be shown.
 *
 * The branches of excluded functions are left out; what they call becomes their caller's, and so does
 * their own time. With a focus, only the ways to matching functions are left.
 *
 * @param fold_small
 *         Put branches that are too small to be worth a row into one for others, under their parent.
 *         With a focus none is too small.
 * @param pruned
 *         Shares everything with the model but its branches, which are to be freed.
 * @return
 *         0, or -ENOMEM, and then there is nothing to be freed.
 */
int hp_prune(const struct hp_model *model, const struct hp_report_options *options, bool fold_small,
	     struct hp_model *pruned);

#endif
