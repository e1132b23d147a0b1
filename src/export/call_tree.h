/* SPDX-License-Identifier: MIT */
/* A call tree (prefix tree of stacks): stacks with a common beginning share its nodes. */
#ifndef HP_CALL_TREE_H
#define HP_CALL_TREE_H

#include "values.h"

#include "names/index.h"

/** A node. The meaning of its key is up to whoever builds the tree. */
struct hp_call {
	/** The parent in the tree, or HP_INDEX_NONE. */
	uint32_t parent;
	uint32_t key;
	uint32_t depth;
	/** Values of the stacks that end here. */
	struct hp_values values;
};

struct hp_call_tree {
	struct hp_call *calls;
	uint32_t count;
	size_t room;
	uint32_t depth_max;
	struct hp_intern index;
};

/**
 * Find or add the child of a parent with a key.
 *
 * @param parent
 *         HP_INDEX_NONE for a root.
 * @return
 *         Its number, or HP_INDEX_NONE when memory ran out.
 */
uint32_t hp_call_tree_add(struct hp_call_tree *tree, uint32_t parent, uint32_t key);

/**
 * The keys on the path to a call, outermost first.
 *
 * @param keys
 *         With room for depth_max + 1.
 * @return
 *         How many they are.
 */
uint32_t hp_call_tree_path(const struct hp_call_tree *tree, uint32_t call, uint32_t *keys);

void hp_call_tree_free(struct hp_call_tree *tree);

#endif
