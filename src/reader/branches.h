/* SPDX-License-Identifier: MIT */
/*
 * Makes a call tree: a branch is found by its parent and function, or added.
 *
 *	struct hp_branches branches;
 *	if (hp_branches_open(&branches, model)) …
 *	int32_t main = hp_branches_get(&branches, HP_NO_BRANCH, 0);
 *	int32_t work = hp_branches_get(&branches, main, 1);
 *	hp_branches_close(&branches);
 */
#ifndef HP_BRANCHES_H
#define HP_BRANCHES_H

#include "model.h"

/** Fields belong to its functions. */
struct hp_branches {
	struct hp_model *model;
	size_t room;
	/** An open hash table of branch numbers plus one, by parent and function. */
	uint32_t *slots;
	size_t mask;
};

/** What hp_branches_get answers when memory ran out. */
enum { HP_BRANCH_FAILED = -2 };

/**
 * Begin to add to the tree of a model.
 *
 * @return
 *         0, or -ENOMEM.
 */
int hp_branches_open(struct hp_branches *branches, struct hp_model *model);

/**
 * The branch of a function under a parent; a new one has no calls yet.
 *
 * A function under itself has no branch of its own: then it is the parent's. So has one that would be
 * deeper than HP_BRANCH_DEPTH_MAX: it hangs at the root.
 */
int32_t hp_branches_get(struct hp_branches *branches, int32_t parent, int32_t function);

/**
 * Add figures to a branch, as far as they count there.
 *
 * @param parent
 *         For which hp_branches_get gave the branch. When they are the same one, its calls and its total
 *         have these in them already, and only self is added.
 */
void hp_branches_add(struct hp_branches *branches, int32_t branch, int32_t parent,
		     const struct hp_branch *figures);

/** Add calls that a function makes of itself: they count, and their time is in the total already. */
void hp_branches_add_inner(struct hp_branches *branches, int32_t branch,
			   const struct hp_branch *figures);

void hp_branches_close(struct hp_branches *branches);

/**
 * Raise totals that are less than their children's together, but for recursion.
 *
 * @return
 *         0, or -ENOMEM.
 */
int hp_branches_settle(struct hp_model *model);

/**
 * Add one model's tree to another's.
 *
 * @param rows
 *         For each function of from, its row in into.
 * @return
 *         0, or -ENOMEM.
 */
int hp_branches_merge(struct hp_model *into, const struct hp_model *from, const int32_t *rows);

#endif
