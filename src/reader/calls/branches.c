/* SPDX-License-Identifier: MIT */
/* Builds a call tree: a branch is looked up by its parent and function, and added if it is new. */
#include "branches.h"

#include "arithmetic.h"
#include "array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t saturated(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static uint32_t *find_slot(const struct hp_branches *branches, int32_t parent, int32_t function)
{
	uint64_t key = (uint64_t)(uint32_t)parent << 32 | (uint32_t)function;
	size_t at = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & branches->mask;

	for (; branches->slots[at]; at = (at + 1) & branches->mask) {
		const struct hp_branch *found = &branches->model->branches[branches->slots[at] - 1];
		if (found->parent == parent && found->function == function)
			break;
	}
	return &branches->slots[at];
}

/* A table with room for twice as many branches as there are. */
static int index_branches(struct hp_branches *branches)
{
	const struct hp_model *model = branches->model;
	size_t size = 64;
	while (size < 4 * model->branch_count)
		size *= 2;
	uint32_t *slots = calloc(size, sizeof(*slots));
	if (!slots)
		return -ENOMEM;

	free(branches->slots);
	branches->slots = slots;
	branches->mask = size - 1;
	for (size_t i = 0; i < model->branch_count; i++)
		*find_slot(branches, model->branches[i].parent,
			   model->branches[i].function) = (uint32_t)i + 1;
	return 0;
}

int hp_branches_open(struct hp_branches *branches, struct hp_model *model)
{
	*branches = (struct hp_branches){ .model = model, .room = model->branch_count };
	return index_branches(branches);
}

static bool reserve(struct hp_branches *branches)
{
	struct hp_model *model = branches->model;

	if (model->branch_count >= INT32_MAX ||
	    !hp_array_reserve(&model->branches, model->branch_count, &branches->room,
			      sizeof(*model->branches)))
		return false;
	return 2 * (model->branch_count + 1) <= branches->mask || index_branches(branches) == 0;
}

static int32_t append(struct hp_branches *branches, int32_t parent, int32_t function)
{
	struct hp_model *model = branches->model;
	if (!reserve(branches))
		return HP_BRANCH_FAILED;

	uint32_t depth = parent == HP_NO_BRANCH ? 0 : model->branches[parent].depth + 1;
	model->branches[model->branch_count++] =
		(struct hp_branch){ .parent = parent, .function = function, .depth = depth };
	*find_slot(branches, parent, function) = (uint32_t)model->branch_count;
	return (int32_t)model->branch_count - 1;
}

int32_t hp_branches_get(struct hp_branches *branches, int32_t parent, int32_t function)
{
	const struct hp_branch *above = parent == HP_NO_BRANCH ? NULL
							       : &branches->model->branches[parent];

	if (above && above->function == function)
		return parent;
	if (above && above->depth == HP_BRANCH_DEPTH_MAX)
		parent = HP_NO_BRANCH;
	uint32_t found = *find_slot(branches, parent, function);
	return found ? (int32_t)found - 1 : append(branches, parent, function);
}

void hp_branches_add(struct hp_branches *branches, int32_t branch, int32_t parent,
		     const struct hp_branch *figures)
{
	struct hp_branch *into = &branches->model->branches[branch];

	/* Self may be negative before everything is added up. */
	into->self_ns += figures->self_ns;
	if (branch == parent)
		return;
	into->calls = saturated(into->calls, figures->calls);
	into->open = saturated(into->open, figures->open);
	into->total_ns = saturated(into->total_ns, figures->total_ns);
	into->recursive |= figures->recursive;
}

void hp_branches_add_inner(struct hp_branches *branches, int32_t branch,
			   const struct hp_branch *figures)
{
	struct hp_branch *into = &branches->model->branches[branch];

	into->self_ns += figures->self_ns;
	into->calls = saturated(into->calls, figures->calls);
}

void hp_branches_close(struct hp_branches *branches)
{
	free(branches->slots);
}

/* The least total of a branch, given that of its children. Self time is that of calls that have ended; what their callees took is
   not part of a call in progress. */
static uint64_t least_total(const struct hp_branch *branch, uint64_t inside)
{
	return branch->open ? saturated(inside, branch->self_ns) : inside;
}

/* Add the calls of a branch to the functions above it, each once; `seen` has the last branch that a function was above of. */
static void tell_above(struct hp_model *model, size_t i, size_t *seen)
{
	const struct hp_branch *branch = &model->branches[i];
	int32_t above = branch->parent;

	if (branch->function >= 0)
		seen[branch->function] = i + 1;
	for (; above != HP_NO_BRANCH; above = model->branches[above].parent) {
		int32_t row = model->branches[above].function;
		if (row < 0 || seen[row] == i + 1)
			continue;
		seen[row] = i + 1;
		model->functions[row].inner_calls = saturated(model->functions[row].inner_calls,
							      branch->calls);
	}
}

int hp_branches_count_inner(struct hp_model *model)
{
	size_t *seen = calloc(model->function_count + 1, sizeof(*seen));
	if (!seen)
		return -ENOMEM;

	for (size_t i = 0; i < model->branch_count; i++)
		tell_above(model, i, seen);
	free(seen);
	return 0;
}

int hp_branches_settle(struct hp_model *model)
{
	uint64_t *inside = calloc(model->branch_count + 1, sizeof(*inside));
	if (!inside)
		return -ENOMEM;

	for (size_t i = model->branch_count; i-- > 0;) {
		struct hp_branch *branch = &model->branches[i];
		uint64_t least = least_total(branch, inside[i]);
		if (branch->total_ns < least && !branch->recursive)
			branch->total_ns = least;
		if (branch->parent != HP_NO_BRANCH)
			inside[branch->parent] = saturated(inside[branch->parent],
							   branch->total_ns);
	}
	free(inside);
	return 0;
}

/* Whether a branch is inside another one of the same function: then its time is part of that one's. */
static bool is_inside_itself(const struct hp_model *model, const struct hp_branch *branch)
{
	int32_t above = branch->parent;

	for (; above != HP_NO_BRANCH; above = model->branches[above].parent)
		if (model->branches[above].function == branch->function)
			return true;
	return false;
}

int hp_branches_raise_open(struct hp_model *model)
{
	uint64_t *totals = calloc(model->function_count + 1, sizeof(*totals));
	if (!totals)
		return -ENOMEM;

	for (size_t i = 0; i < model->branch_count; i++) {
		const struct hp_branch *branch = &model->branches[i];
		int32_t row = branch->function;
		if (row != HP_NO_FUNCTION && model->functions[row].open &&
		    !is_inside_itself(model, branch))
			totals[row] = saturated(totals[row], branch->total_ns);
	}
	for (size_t i = 0; i < model->function_count; i++)
		model->functions[i].total_ns = hp_max(model->functions[i].total_ns, totals[i]);
	free(totals);
	return 0;
}

static int walk(struct hp_branches *branches, const struct hp_model *from, const int32_t *rows,
		int32_t *grafted, hp_branches_visit *visit)
{
	for (size_t i = 0; i < from->branch_count; i++) {
		const struct hp_branch *branch = &from->branches[i];
		int32_t parent = branch->parent == HP_NO_BRANCH ? HP_NO_BRANCH
								: grafted[branch->parent];
		int32_t function = branch->function == HP_NO_FUNCTION ? HP_NO_FUNCTION
								      : rows[branch->function];

		grafted[i] = hp_branches_get(branches, parent, function);
		if (grafted[i] == HP_BRANCH_FAILED)
			return -ENOMEM;
		visit(branches, grafted[i], parent, branch);
	}
	return 0;
}

int hp_branches_graft(struct hp_model *into, const struct hp_model *from, const int32_t *rows,
		      hp_branches_visit *visit)
{
	struct hp_branches branches;

	if (from->branch_count == 0)
		return 0;
	int32_t *grafted = calloc(from->branch_count, sizeof(*grafted));
	int error = grafted ? hp_branches_open(&branches, into) : -ENOMEM;
	if (!error) {
		error = walk(&branches, from, rows, grafted, visit);
		hp_branches_close(&branches);
	}
	free(grafted);
	return error ? error : hp_branches_settle(into);
}

int hp_branches_merge(struct hp_model *into, const struct hp_model *from, const int32_t *rows)
{
	into->has_tree |= from->has_tree;
	return hp_branches_graft(into, from, rows, hp_branches_add);
}
