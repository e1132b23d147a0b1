/* SPDX-License-Identifier: MIT */
/*
 * The own time of functions, including calls in progress.
 *
 * A row only has the self time of calls that have ended. For a call in progress, the call tree has its time so far
 * and that of the calls in it: the difference is its own.
 */
#include "own_time.h"

#include "arithmetic.h"

#include <stdlib.h>

/* What the children of each branch took. */
static void add_children(const struct hp_model *model, uint64_t *inside)
{
	for (size_t i = 0; i < model->branch_count; i++)
		if (model->branches[i].parent != HP_NO_BRANCH)
			inside[model->branches[i].parent] += model->branches[i].total_ns;
}

static uint64_t own_of(const struct hp_branch *branch, uint64_t inside)
{
	uint64_t rest = hp_minus(branch->total_ns, inside);

	return branch->open && rest > branch->self_ns ? rest : branch->self_ns;
}

static void add_open(const struct hp_model *model, const uint64_t *inside, uint64_t *times)
{
	for (size_t i = 0; i < model->branch_count; i++) {
		const struct hp_branch *branch = &model->branches[i];
		if (branch->function != HP_NO_FUNCTION && branch->open)
			times[branch->function] += own_of(branch, inside[i]) - branch->self_ns;
	}
}

uint64_t *hp_own_times(const struct hp_model *model)
{
	uint64_t *times = calloc(model->function_count + 1, sizeof(*times));
	uint64_t *inside = calloc(model->branch_count + 1, sizeof(*inside));

	if (times && inside) {
		for (size_t i = 0; i < model->function_count; i++)
			times[i] = model->functions[i].self_ns;
		add_children(model, inside);
		add_open(model, inside, times);
	} else {
		free(times);
		times = NULL;
	}
	free(inside);
	return times;
}
