/* SPDX-License-Identifier: MIT */
/*
 * Builds a call tree: a branch is looked up by its parent and function, and added if it is new.
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

/** Private to the functions below. */
struct hp_branches {
	struct hp_model *model;
	size_t room;
	/** An open hash table of branch numbers plus one, by parent and function. */
	uint32_t *slots;
	size_t mask;
};

/** Returned by hp_branches_get when memory ran out. */
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
 * Direct recursion has no branch of its own: for a function under itself, the parent is returned. A branch that would
 * be deeper than HP_BRANCH_DEPTH_MAX is attached to the root.
 */
int32_t hp_branches_get(struct hp_branches *branches, int32_t parent, int32_t function);

/**
 * Add figures to a branch, skipping those that it already contains.
 *
 * @param parent
 *         The parent passed to hp_branches_get. If it is the branch itself (direct recursion), calls and total are
 *         already included, and only self time is added.
 */
void hp_branches_add(struct hp_branches *branches, int32_t branch, int32_t parent,
		     const struct hp_branch *figures);

/** Add directly recursive calls: they are counted, but their time is already part of the total. */
void hp_branches_add_inner(struct hp_branches *branches, int32_t branch,
			   const struct hp_branch *figures);

void hp_branches_close(struct hp_branches *branches);

/**
 * Raise totals that are smaller than the sum of their children, except where recursion explains that.
 *
 * @return
 *         0, or -ENOMEM.
 */
int hp_branches_settle(struct hp_model *model);

/**
 * Raise the totals of functions with calls in progress to those of their branches.
 *
 * What measuring cost in a call in progress is estimated from its whole thread, and may be too much; the tree knows what was
 * called inside. A call is never shorter than that.
 *
 * @return
 *         0, or -ENOMEM.
 */
int hp_branches_raise_open(struct hp_model *model);

/**
 * Count the calls inside those of each function.
 *
 * @return
 *         0, or -ENOMEM.
 */
int hp_branches_count_inner(struct hp_model *model);

/** Called with a branch of another tree, and its place and that of its parent in this one. */
typedef void hp_branches_visit(struct hp_branches *branches, int32_t branch, int32_t parent,
			       const struct hp_branch *figures);

/**
 * Visit each branch of one model's tree with the same branch of another's, which is made if it is not there; then settle.
 *
 * @param rows
 *         For each function of from, its row in into.
 * @return
 *         0, or -ENOMEM.
 */
int hp_branches_graft(struct hp_model *into, const struct hp_model *from, const int32_t *rows,
		      hp_branches_visit *visit);

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
