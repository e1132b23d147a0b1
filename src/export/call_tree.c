/* SPDX-License-Identifier: MIT */
/* A call tree (prefix tree of stacks): stacks with a common beginning share its nodes. */
#include "call_tree.h"

#include "array.h"

#include <stdlib.h>

static bool is_same(const void *things, uint32_t number, const void *key)
{
	const struct hp_call_tree *tree = things;
	const struct hp_call *call = &tree->calls[number], *wanted = key;

	return call->parent == wanted->parent && call->key == wanted->key;
}

uint32_t hp_call_tree_add(struct hp_call_tree *tree, uint32_t parent, uint32_t key)
{
	uint32_t depth = parent == HP_INDEX_NONE ? 0 : tree->calls[parent].depth + 1, number;
	struct hp_call call = { .parent = parent, .key = key, .depth = depth };
	uint64_t hash = hp_hash(0, (uint64_t)parent << 32 | key);

	tree->index.is_same = is_same;
	if (!hp_array_reserve(&tree->calls, tree->count, &tree->room, sizeof(call)) ||
	    !hp_intern(&tree->index, hash, tree, &call, tree->count, &number))
		return HP_INDEX_NONE;
	if (number < tree->count)
		return number;
	tree->calls[tree->count++] = call;
	if (depth > tree->depth_max)
		tree->depth_max = depth;
	return number;
}

uint32_t hp_call_tree_path(const struct hp_call_tree *tree, uint32_t call, uint32_t *keys)
{
	uint32_t count = tree->calls[call].depth + 1;

	for (uint32_t i = count; i-- > 0; call = tree->calls[call].parent)
		keys[i] = tree->calls[call].key;
	return count;
}

void hp_call_tree_free(struct hp_call_tree *tree)
{
	free(tree->calls);
	hp_intern_free(&tree->index);
	*tree = (struct hp_call_tree){ .calls = NULL };
}
