/* SPDX-License-Identifier: MIT */
/* The frames of a flame graph: a tree of functions with inclusive values, children sorted by name. */
#ifndef HP_FLAME_TREE_H
#define HP_FLAME_TREE_H

#include "profile.h"

struct hp_flame_tree {
	const struct hp_profile *profile;
	/** Keys are functions, except for the roots, which are threads; those of the same name are one. */
	struct hp_call_tree calls;
	/** Inclusive values of each call. */
	struct hp_values *totals;
	/** The main value of the whole profile. */
	uint64_t total;
	/** Each thread has a frame of its own, because there are several. */
	bool with_threads;
	/** Private: the calls, grouped by parent and sorted by name; where the children of each parent begin; and the next
	    child of each call in a walk. */
	uint32_t *order;
	uint32_t *children;
	uint32_t *next;
};

/** Build the tree of a profile, which must outlive it. Returns 0, or -ENOMEM; either way it is to be freed. */
int hp_flame_tree_make(struct hp_flame_tree *tree, const struct hp_profile *profile);

void hp_flame_tree_free(struct hp_flame_tree *tree);

/** The main value of a call, inclusive. */
static inline uint64_t hp_flame_tree_width(const struct hp_flame_tree *tree, uint32_t call)
{
	return hp_profile_main(tree->profile, &tree->totals[call]);
}

/** The function of a call; NULL for a thread. */
static inline const struct hp_code *hp_flame_tree_code(const struct hp_flame_tree *tree,
						       uint32_t call)
{
	const struct hp_call *it = &tree->calls.calls[call];

	return it->depth ? &tree->profile->functions.items[it->key] : NULL;
}

/** The name of a function or thread. */
const char *hp_flame_tree_name(const struct hp_flame_tree *tree, uint32_t call);

/** Begin to walk through the children of a call. */
static inline void hp_flame_tree_enter(struct hp_flame_tree *tree, uint32_t call)
{
	tree->next[call] = tree->children[call];
}

/** The next child of a call that was entered; HP_INDEX_NONE if there is none. */
uint32_t hp_flame_tree_next(struct hp_flame_tree *tree, uint32_t call);

#endif
