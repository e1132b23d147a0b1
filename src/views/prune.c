/* SPDX-License-Identifier: MIT */
/*
 * The part of a call tree that a report shows.
 *
 * The tree is copied once for each filter: first a fate is decided for each branch, then the tree is rebuilt, and
 * branches that end up in the same place are merged.
 */
#include "prune.h"

#include "calls/branches.h"

#include <errno.h>
#include <stdlib.h>

/* Branches with less than 1/200 of the whole time have no row of their own. */
enum { SMALL_PART = 200 };

/* What becomes of a branch. */
enum fate {
	KEPT,
	/* Its children and its own time are added to its parent. */
	SKIPPED,
	/* Removed, with its whole subtree. */
	DROPPED,
	/* Merged into the parent's <other>, with its whole subtree. */
	FOLDED,
};

/* The index of a branch that is not in the copy. */
enum { GONE = -3 };

typedef void judge(const struct hp_model *model, const struct hp_report_options *options,
		   enum fate *fates);

/* Give all branches with a matching function the same fate. */
static void judge_matching(const struct hp_model *model, const char *wanted, enum fate *fates,
			   enum fate fate)
{
	char problem[HP_PROBLEM_SIZE];
	struct hp_focus focus;

	if (hp_focus_open(&focus, wanted, problem))
		return;
	for (size_t i = 0; i < model->branch_count; i++) {
		int32_t function = model->branches[i].function;
		if (function != HP_NO_FUNCTION &&
		    hp_focus_matches(&focus, model->functions[function].name))
			fates[i] = fate;
	}
	hp_focus_close(&focus);
}

static void judge_excluded(const struct hp_model *model, const struct hp_report_options *options,
			   enum fate *fates)
{
	judge_matching(model, options->exclude, fates, SKIPPED);
}

static void judge_focused(const struct hp_model *model, const struct hp_report_options *options,
			  enum fate *fates)
{
	for (size_t i = 0; i < model->branch_count; i++)
		fates[i] = DROPPED;
	judge_matching(model, options->focus, fates, KEPT);
	for (size_t i = model->branch_count; i-- > 0;)
		if (fates[i] == KEPT && model->branches[i].parent != HP_NO_BRANCH)
			fates[model->branches[i].parent] = KEPT;
}

static void judge_small(const struct hp_model *model, const struct hp_report_options *options,
			enum fate *fates)
{
	(void)options;
	for (size_t i = 0; i < model->branch_count; i++)
		if (model->branches[i].total_ns < model->elapsed_ns / SMALL_PART)
			fates[i] = FOLDED;
}

/* Copy a branch according to its fate, below the copy of its parent. */
static int32_t copy_branch(struct hp_branches *branches, const struct hp_branch *branch,
			   int32_t parent, enum fate fate)
{
	if (parent == GONE || fate == DROPPED)
		return GONE;
	if (fate == SKIPPED) {
		if (parent != HP_NO_BRANCH)
			branches->model->branches[parent].self_ns += branch->self_ns;
		return parent;
	}
	int32_t copy = hp_branches_get(branches, parent,
				       fate == FOLDED ? HP_NO_FUNCTION : branch->function);
	if (copy == HP_BRANCH_FAILED)
		return copy;
	hp_branches_add(branches, copy, parent, branch);
	return fate == FOLDED ? GONE : copy;
}

static int copy_tree(const struct hp_model *model, const enum fate *fates, int32_t *copies,
		     struct hp_model *copy)
{
	struct hp_branches branches;

	if (hp_branches_open(&branches, copy))
		return -ENOMEM;
	int error = 0;
	for (size_t i = 0; i < model->branch_count && !error; i++) {
		const struct hp_branch *branch = &model->branches[i];
		int32_t parent = branch->parent == HP_NO_BRANCH ? HP_NO_BRANCH
								: copies[branch->parent];
		copies[i] = copy_branch(&branches, branch, parent, fates[i]);
		error = copies[i] == HP_BRANCH_FAILED ? -ENOMEM : 0;
	}
	hp_branches_close(&branches);
	return error;
}

/* Rebuild a tree with the fates that a judge decides. */
static int pass(struct hp_model *model, const struct hp_report_options *options, judge *decide)
{
	enum fate *fates = calloc(model->branch_count + 1, sizeof(*fates));
	int32_t *copies = calloc(model->branch_count + 1, sizeof(*copies));
	struct hp_model copy = *model;

	copy.branches = NULL;
	copy.branch_count = 0;
	int error = -ENOMEM;
	if (fates && copies) {
		decide(model, options, fates);
		error = copy_tree(model, fates, copies, &copy);
	}
	free(fates);
	free(copies);
	free(model->branches);
	model->branches = copy.branches;
	model->branch_count = copy.branch_count;
	return error;
}

int hp_prune(const struct hp_model *model, const struct hp_report_options *options, bool fold_small,
	     struct hp_model *pruned)
{
	int error = 0;

	*pruned = *model;
	pruned->branches = calloc(model->branch_count + 1, sizeof(*pruned->branches));
	if (!pruned->branches)
		return -ENOMEM;
	for (size_t i = 0; i < model->branch_count; i++)
		pruned->branches[i] = model->branches[i];
	if (options->exclude[0])
		error = pass(pruned, options, judge_excluded);
	if (!error && options->focus[0])
		error = pass(pruned, options, judge_focused);
	else if (!error && fold_small)
		error = pass(pruned, options, judge_small);
	if (error)
		free(pruned->branches);
	return error;
}
