/* SPDX-License-Identifier: MIT */
/*
 * Branches: the call tree of a thread, and the table in which the hot path finds its way down.
 *
 *	root ─ main ─┬─ parse ─── read_token      key (main | parse) → parse, as called by main
 *	             └─ emit ──── read_token
 *
 * From each branch that has a node, what is called there has keys with the node's number. Recursion ends where
 * it began: a function that is called by the same one as further up is in the same branch as there.
 *
 * The tree is bounded. Where it is cut, because it is too deep or large, everything further shares two
 * nodes of site 0 and their numbers: there are as many branches as functions, twice.
 */
#include "recorder.h"

#include <string.h>

enum {
	/* Above ids and addresses. */
	NUMBER_SHIFT = 48,
	/* An id that no site has: of the branch where a tree is cut. */
	CUT = HP_SITES_MAX,
	/* Of the nodes, those that are kept for cuts. */
	NODES_FOR_CUTS = HP_NODES_MAX / 8,
	BRANCHES = 64,
	/* Slots that one call may take: for its branch by two keys, and for a cut. */
	SPARE = 4,
};

static_assert(HP_NODES_MAX + 2 < 1 << (64 - NUMBER_SHIFT), "room for the numbers of nodes");

static void put(struct thread *me, uint64_t key, struct branch *branch)
{
	struct slot *slot = hotpath__slot(me, key);

	me->slots_used += !slot->key;
	*slot = (struct slot){ key, branch };
}

static bool is_address(uint64_t key)
{
	return (key & ((UINT64_C(1) << NUMBER_SHIFT) - 1)) > CUT;
}

static void first_slot(struct thread *me)
{
	me->slots[0] = (struct slot){ UINT64_MAX, &me->skipped };
	me->slots_used = 1;
}

/* Move those slots that are to stay to another table, which is empty. */
static void move_slots(struct thread *me, struct slot *slots, unsigned shift, bool addresses)
{
	const struct slot *old = me->slots;
	uint32_t count = (UINT32_MAX >> me->shift) + 1;

	me->slots = slots;
	me->shift = shift;
	first_slot(me);
	for (uint32_t i = 1; i < count; i++)
		if (old[i].key && (addresses || !is_address(old[i].key)))
			put(me, old[i].key, old[i].branch);
}

/* Whether there is room for those of one more branch. */
static bool room_for_slots(struct thread *me)
{
	uint32_t count = (UINT32_MAX >> me->shift) + 1;

	if (me->slots_used < count / 4)
		return true;
	struct slot *slots = hotpath__private((size_t)count * 2 * sizeof(*slots));
	if (slots) {
		move_slots(me, slots, me->shift - 1, true);
		me->other_slots = NULL;
	}
	/* A full table would be searched for ever. */
	return slots || me->slots_used < count - SPARE;
}

static struct branch *new_branch(struct thread *me)
{
	if (!me->spare_branches) {
		me->branches = hotpath__private(BRANCHES * sizeof(struct branch));
		me->spare_branches = me->branches ? BRANCHES : 0;
	}
	if (!me->spare_branches)
		return NULL;
	me->spare_branches--;
	return me->branches++;
}

/* NULL when a branch is not in the tree. */
static struct hp_node *node_of(const struct thread *me, const struct branch *branch)
{
	return branch->node ? hotpath__node(me, branch->node) : NULL;
}

/* A node under another one; false when there is no room. */
static bool add_node(struct thread *me, struct branch *branch, const struct branch *from,
		     uint32_t site)
{
	const struct hp_node *parent = node_of(me, from);
	uint64_t at = hotpath__lane_take(me, sizeof(struct hp_node));

	if (!at)
		return false;
	branch->node = at;
	branch->inner = (uint64_t)(++me->nodes + 1) << NUMBER_SHIFT;
	struct hp_node *node = node_of(me, branch);
	node->parent = from->node;
	node->depth = parent ? parent->depth + 1 : 1;
	node->site = site;
	node->next = me->lane->nodes;
	/* Pairs with the reader's ACQUIRE. */
	store(&me->lane->nodes, at, RELEASE);
	return true;
}

/* Where the tree ends below a branch; the root when there is not even room for that. */
static struct branch *cut_below(struct thread *me, struct branch *from)
{
	uint64_t key = from->inner | CUT;
	struct branch *cut = hotpath__slot(me, key)->branch;

	if (cut)
		return cut;
	cut = me->nodes < HP_NODES_MAX ? new_branch(me) : NULL;
	if (!cut || !add_node(me, cut, from, 0)) {
		add(&me->lane->counters[HP_COUNTER_branches], 1);
		return &me->root;
	}
	cut->outer = from->inner;
	cut->from = from;
	put(me, key, cut);
	return cut;
}

static bool is_full(const struct thread *me, const struct branch *from)
{
	const struct hp_node *node = node_of(me, from);

	return me->nodes >= HP_NODES_MAX - NODES_FOR_CUTS ||
	       (node && node->depth >= HP_NODE_DEPTH_MAX);
}

/* Whether a branch is inside a cut: what it calls shares its node. */
static bool is_in_cut(const struct thread *me, const struct branch *branch)
{
	const struct hp_node *node = node_of(me, branch);

	return node && node->site == 0 && node->parent &&
	       hotpath__node(me, node->parent)->site == 0;
}

/*
 * Let a branch be in the tree: with a node of its own, that of a cut, or none. What is called inside a cut
 * has a second node under the first, so that its time is not added to that of whoever called it there.
 */
static void grow(struct thread *me, struct branch *branch, struct branch *from, uint32_t site)
{
	const struct hp_node *node = node_of(me, from);
	const struct branch *shared = from;

	if (!hotpath__settings()->tree)
		shared = &me->root;
	else if (node && node->site == 0)
		shared = is_in_cut(me, from) ? from : cut_below(me, from);
	else if (!is_full(me, from) && add_node(me, branch, from, site))
		return;
	else
		shared = cut_below(me, from);
	branch->node = shared->node;
	branch->inner = shared->inner;
}

/*
 * The branch of a site that was called by the same one before, on the way down to here: this is recursion,
 * and goes on there. NULL when it was not.
 */
static struct branch *same_further_up(struct branch *from, uint32_t site)
{
	if (from->site == site)
		return from;
	for (struct branch *branch = from; branch && branch->from; branch = branch->from)
		if (branch->site == site && branch->from->site == from->site)
			return branch;
	return NULL;
}

static struct branch *make(struct thread *me, struct branch *from, uint32_t site)
{
	struct hp_stat *stat = hotpath__stat(me, site);
	struct branch *branch = stat ? same_further_up(from, site) : NULL;

	if (!stat || branch)
		return branch;
	branch = new_branch(me);
	if (!branch)
		return NULL;
	branch->stat = stat;
	branch->site = site;
	branch->outer = from->inner;
	branch->from = from;
	grow(me, branch, from, site);
	return branch;
}

/* With the lock, not for other threads, but so that no signal handler leaves in between. */
struct branch *hotpath__branch(struct thread *me, struct branch *from, uint32_t site)
{
	uint64_t key = from->inner | site;
	struct branch *branch = hotpath__slot(me, key)->branch;
	struct guard guard;

	if (branch)
		return branch;
	hotpath__lock(&guard);
	if (room_for_slots(me))
		branch = make(me, from, site);
	if (branch) {
		put(me, key, branch);
		put(me, site, branch);
	}
	hotpath__unlock(&guard);
	return branch;
}

void hotpath__know_address(struct thread *me, uintptr_t function, struct branch *branch)
{
	struct guard guard;

	if (hotpath__slot(me, function)->branch)
		return;
	hotpath__lock(&guard);
	if (!hotpath__recorder->unloading && room_for_slots(me))
		put(me, function, branch ? branch : &me->skipped);
	hotpath__unlock(&guard);
}

void hotpath__forget_addresses(struct thread *me)
{
	size_t size = ((size_t)(UINT32_MAX >> me->shift) + 1) * sizeof(struct slot);
	struct slot *old = me->slots;

	if (!me->other_slots)
		me->other_slots = hotpath__private(size);
	if (me->other_slots) {
		memset(me->other_slots, 0, size);
		move_slots(me, me->other_slots, me->shift, false);
		me->other_slots = old;
	} else {
		memset(old, 0, size);
		first_slot(me);
	}
}

void hotpath__forget_nested(struct thread *me)
{
	for (uint32_t i = 0; i <= UINT32_MAX >> me->shift; i++)
		if (me->slots[i].branch)
			me->slots[i].branch->nested = 0;
}

void hotpath__branch_init(struct thread *me)
{
	me->slots = me->first_slots;
	me->shift = (unsigned)__builtin_clz(SLOTS_FIRST) + 1;
	first_slot(me);
	me->root.inner = UINT64_C(1) << NUMBER_SHIFT;
	me->frames[0].branch = &me->root;
}

void hotpath__zero_nodes(struct thread *me)
{
	for (uint64_t at = me->lane->nodes; at;) {
		struct hp_node *node = (struct hp_node *)(void *)(me->base + at);
		store(&node->calls, 0, RELAXED);
		store(&node->total, 0, RELAXED);
		store(&node->self, 0, RELAXED);
		at = node->next;
	}
}
