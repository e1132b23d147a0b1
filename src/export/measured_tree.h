/* SPDX-License-Identifier: MIT */
/* The call tree of measured functions as a profile: its frames are functions, and no stacks were taken. */
#ifndef HP_MEASURED_TREE_H
#define HP_MEASURED_TREE_H

#include "profile.h"

/** The values of a branch. */
enum { HP_BRANCH_CALLS, HP_BRANCH_NS };

/** Whether a call tree was kept, and has branches. */
bool hp_measured_tree_is_recorded(const struct hp_model *model);

/**
 * Make the tree of a profile. A branch has its self time; with calls in progress, also that of these, which is what its
 * total has beyond those of its children.
 *
 * @return
 *         False when memory ran out.
 */
bool hp_measured_tree_read(struct hp_profile *profile);

/** Free what the above has made, which is the profile's table of frames. */
void hp_measured_tree_free(struct hp_cpu *cpu);

#endif
