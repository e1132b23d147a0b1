/* SPDX-License-Identifier: MIT */
/* The call tree of a window: what branches did between two reads. */
#include "tree_since.h"

#include "arithmetic.h"
#include "branches.h"

#include <errno.h>
#include <stdlib.h>

/* A directly recursive branch is its own parent: its calls and total were subtracted with that. */
static void subtract(struct hp_branches *branches, int32_t at, int32_t parent,
		     const struct hp_branch *earlier)
{
	struct hp_branch *branch = &branches->model->branches[at];

	branch->self_ns = hp_minus(branch->self_ns, earlier->self_ns);
	if (at == parent)
		return;
	branch->calls = hp_minus(branch->calls, earlier->calls);
	branch->total_ns = hp_minus(branch->total_ns, earlier->total_ns);
}

static bool is_idle(const struct hp_branch *branch)
{
	return !branch->calls && !branch->open && !branch->total_ns && !branch->self_ns;
}

/* Mark the branches that did something, and those above them, by -1. Children come after their parents. */
static void mark_kept(const struct hp_model *model, int32_t *moved)
{
	for (size_t i = model->branch_count; i-- > 0;) {
		const struct hp_branch *branch = &model->branches[i];
		if (!is_idle(branch))
			moved[i] = -1;
		if (moved[i] && branch->parent != HP_NO_BRANCH)
			moved[branch->parent] = -1;
	}
}

static int drop_idle(struct hp_model *model)
{
	/* The new places of branches, after they were marked. */
	int32_t *moved = calloc(model->branch_count + 1, sizeof(*moved));
	size_t kept = 0;
	if (!moved)
		return -ENOMEM;

	mark_kept(model, moved);
	for (size_t i = 0; i < model->branch_count; i++) {
		if (!moved[i])
			continue;
		struct hp_branch branch = model->branches[i];
		if (branch.parent != HP_NO_BRANCH)
			branch.parent = moved[branch.parent];
		moved[i] = (int32_t)kept;
		model->branches[kept++] = branch;
	}
	model->branch_count = kept;
	free(moved);
	return 0;
}

int hp_tree_subtract(struct hp_model *model, const struct hp_model *earlier, const int32_t *rows)
{
	int error = hp_branches_graft(model, earlier, rows, subtract);

	return error ? error : drop_idle(model);
}
