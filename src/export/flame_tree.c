/* SPDX-License-Identifier: MIT */
/* The frames of a flame graph: a tree of functions with inclusive values, children sorted by name. */
#include "flame_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *left, const void *right, void *context)
{
	const struct hp_flame_tree *tree = context;
	uint32_t numbers[] = { *(const uint32_t *)left, *(const uint32_t *)right };
	const struct hp_call *a = &tree->calls.calls[numbers[0]];
	const struct hp_call *b = &tree->calls.calls[numbers[1]];
	const struct hp_code *functions = tree->profile->functions.items;

	/* The parent of roots is HP_INDEX_NONE, the highest number: they come last. */
	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	int order = a->depth ? strcmp(functions[a->key].name, functions[b->key].name) : 0;
	return order ? order : (numbers[0] > numbers[1]) - (numbers[0] < numbers[1]);
}

static void sort_calls(struct hp_flame_tree *tree)
{
	const struct hp_call_tree *calls = &tree->calls;

	for (uint32_t i = 0; i < calls->count; i++)
		tree->order[i] = i;
	qsort_r(tree->order, calls->count, sizeof(*tree->order), by_name, tree);
	for (uint32_t call = 0, at = 0; call <= calls->count; call++) {
		while (at < calls->count && calls->calls[tree->order[at]].parent < call)
			at++;
		tree->children[call] = at;
	}
}

/* Parents have lower indexes than their children, so going backwards adds up the totals. */
static void add_up(struct hp_flame_tree *tree)
{
	const struct hp_call_tree *calls = &tree->calls;
	uint32_t roots = 0;

	for (uint32_t i = calls->count; i-- > 0;) {
		uint32_t parent = calls->calls[i].parent;
		hp_values_add(&tree->totals[i], &calls->calls[i].values);
		if (parent == HP_INDEX_NONE)
			roots++;
		else
			hp_values_add(&tree->totals[parent], &tree->totals[i]);
	}
	tree->total = hp_profile_main(tree->profile, &tree->profile->total);
	tree->with_threads = roots > 1;
}

int hp_flame_tree_make(struct hp_flame_tree *tree, const struct hp_profile *profile)
{
	*tree = (struct hp_flame_tree){ .profile = profile };
	int error = hp_profile_functions(profile, true, &tree->calls);
	size_t room = (size_t)tree->calls.count + 1;

	tree->totals = calloc(room, sizeof(*tree->totals));
	tree->order = calloc(room, sizeof(*tree->order));
	tree->children = calloc(room, sizeof(*tree->children));
	tree->next = calloc(room, sizeof(*tree->next));
	if (error || !tree->totals || !tree->order || !tree->children || !tree->next)
		return -ENOMEM;
	add_up(tree);
	sort_calls(tree);
	return 0;
}

void hp_flame_tree_free(struct hp_flame_tree *tree)
{
	free(tree->totals);
	free(tree->order);
	free(tree->children);
	free(tree->next);
	hp_call_tree_free(&tree->calls);
}

const char *hp_flame_tree_name(const struct hp_flame_tree *tree, uint32_t call)
{
	const struct hp_code *code = hp_flame_tree_code(tree, call);

	return code ? code->name : hp_profile_thread(tree->profile, tree->calls.calls[call].key);
}

uint32_t hp_flame_tree_next(struct hp_flame_tree *tree, uint32_t call)
{
	if (tree->next[call] >= tree->children[call + 1])
		return HP_INDEX_NONE;
	return tree->order[tree->next[call]++];
}
