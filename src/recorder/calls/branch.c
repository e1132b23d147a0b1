/* SPDX-License-Identifier: MIT */
/*
 * Branches: the call tree of a thread, and the hash table in which the hot path finds the branch of a call.
 *
 *	root ─ main ─┬─ parse ─── read_token      key (main | parse) → parse, as called by main
 *	             └─ emit ──── read_token
 *
 * The key of a branch has the number of its caller's node and the id of its own site. Recursion does not make the
 * tree deeper: if the same caller has called the same function further up, the call belongs to that branch.
 *
 * The tree is bounded. Where it is cut, because it is too deep or too large, all calls below share two nodes of
 * site 0, and so the numbers in their keys: below a cut there are at most two branches for each function.
 *
 * A branch is added without the lock, because blocking signals takes two system calls. The thread is busy, so a signal
 * handler uses the second state; but it may leave by siglongjmp, between any two instructions. So everything is complete
 * before one store publishes it: a node in the list of the lane, a slot by its key. What was not published is lost; a
 * node that was, without its branch, stays at 0 calls, and readers add it to the next one of the same place. Only what
 * is rare, a larger table or a new block of branches, is done with signals blocked.
 */
#include "branch.h"

#include "hot_path.h"
#include "process/lanes.h"
#include "process/platform.h"
#include "process/recorder_state.h"
#include "process/room.h"
#include "process/settings.h"

#include <string.h>

enum {
	/* The node's number is in the bits of a key above ids and addresses, as in a place of a stat. */
	NUMBER_SHIFT = HP_NODE_SHIFT,
	/* An id that no site has, for the branch where the tree is cut. */
	CUT = HP_SITES_MAX,
	/* Nodes that are reserved for cuts. */
	NODES_FOR_CUTS = HP_NODES_MAX / 8,
	BRANCHES = 64,
	/* The most slots that one call may use: its branch has a key, so may its address, and there may be cuts. */
	SPARE = 4,
};

static_assert(HP_NODES_MAX + 2 < 1 << (64 - NUMBER_SHIFT), "room for the numbers of nodes");

static void put(struct thread *me, uint64_t key, struct branch *branch)
{
	struct slot *slot = hotpath__slot(me, key);

	/* The branch is complete before it can be found. */
	signal_fence();
	if (slot->key) {
		store(&slot->branch, branch, RELAXED);
		return;
	}
	me->slots_used++;
	store(&me->filling, slot, RELAXED);
	store(&slot->branch, branch, RELAXED);
	store(&slot->key, key, RELAXED);
	store(&me->filling, NULL, RELAXED);
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

/* Move the slots to an empty table; those of addresses only if wanted. */
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

/* Make the table twice as large. The lock blocks signals, because the table and its size change together. */
static bool grow_table(struct thread *me, uint32_t count)
{
	struct guard guard;

	hotpath__lock(&guard);
	struct slot *slots = hotpath__private_populated((size_t)count * 2 * sizeof(*slots));
	if (slots) {
		move_slots(me, slots, me->shift - 1, true);
		me->other_slots = NULL;
	}
	hotpath__unlock(&guard);
	return slots;
}

/* Whether there is room for the slots of one more branch; the table grows if necessary. */
static bool room_for_slots(struct thread *me)
{
	uint32_t count = (UINT32_MAX >> me->shift) + 1;

	/* There must be empty slots, or a search would not end. */
	return me->slots_used < count / 4 || grow_table(me, count) ||
	       me->slots_used < count - SPARE;
}

/* Make room for the branch in which a site was last called; false when there is none. With signals blocked: the array and
   its size change together. */
static bool room_for_last(struct thread *me, uint32_t site)
{
	uint32_t count = me->last_count;
	struct guard guard;

	if (site < count)
		return true;
	while (count <= site)
		count *= 2;
	hotpath__lock(&guard);
	struct branch **last = hotpath__private(count * sizeof(*last));
	if (last) {
		memcpy(last, me->last, me->last_count * sizeof(*last));
		/* In this order, if signals could not be blocked: there are never fewer than their number. */
		store(&me->last, last, RELAXED);
		signal_fence();
		store(&me->last_count, count, RELAXED);
	}
	hotpath__unlock(&guard);
	return last;
}

static bool more_branches(struct thread *me)
{
	struct guard guard;

	hotpath__lock(&guard);
	me->branches = hotpath__private(BRANCHES * sizeof(struct branch));
	me->spare_branches = me->branches ? BRANCHES : 0;
	hotpath__unlock(&guard);
	return me->branches;
}

static struct branch *new_branch(struct thread *me)
{
	if (!me->spare_branches && !more_branches(me))
		return NULL;
	struct branch *branch = me->branches;
	/* In this order: after a siglongjmp between them, one branch less is spare than there are. */
	store(&me->spare_branches, me->spare_branches - 1, RELAXED);
	store(&me->branches, branch + 1, RELAXED);
	return branch;
}

/* The node of a branch; NULL when it is not in the call tree. */
static struct hp_node *node_of(const struct thread *me, const struct branch *branch)
{
	return branch->node ? hotpath__node(me, branch->node) : NULL;
}

/* The page of the table of nodes with this number; NULL when there is no memory. */
static struct hp_node **number_page(struct thread *me, uint32_t number)
{
	struct hp_node ***page = &me->numbered[number / INDEX_PAGE];
	struct guard guard;

	if (!*page) {
		hotpath__lock(&guard);
		*page = hotpath__private(INDEX_PAGE * sizeof(**page));
		hotpath__unlock(&guard);
	}
	return *page;
}

/* Add a node for a branch, below that of `from`; false when there is no room. */
static bool add_node(struct thread *me, struct branch *branch, const struct branch *from,
		     uint32_t site)
{
	const struct hp_node *parent = node_of(me, from);
	struct hp_node **numbered = number_page(me, me->nodes + 2);
	uint64_t at = numbered ? hotpath__lane_take(me, sizeof(struct hp_node)) : 0;

	if (!at)
		return false;
	uint32_t number = ++me->nodes + 1;
	branch->node = at;
	branch->inner = (uint64_t)number << NUMBER_SHIFT;
	struct hp_node *node = node_of(me, branch);
	numbered[number % INDEX_PAGE] = node;
	node->number = number;
	node->parent = from->node;
	node->depth = parent ? parent->depth + 1 : 1;
	node->site = site;
	node->next = me->lane->nodes;
	/* Pairs with the reader's ACQUIRE. */
	store(&me->lane->nodes, at, RELEASE);
	return true;
}

/* The branch that stands for everything below a branch where the tree is cut, with a node of site 0; the root when
   there is no room for that either. */
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

/* Whether a branch is inside a cut already: calls from it share its node. */
static bool is_in_cut(const struct thread *me, const struct branch *branch)
{
	const struct hp_node *node = node_of(me, branch);

	return node && node->site == 0 && node->parent &&
	       hotpath__node(me, node->parent)->site == 0;
}

/*
 * Put a branch into the tree: with a node of its own, with that of a cut, or with none. Calls made inside a cut have
 * a second node of site 0 below the first, so that their time is not added to that of their callers in the cut.
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
 * If this is recursion: the branch further up in which the same caller called the same site, so that the call is
 * counted there. NULL otherwise.
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

/* With signals blocked: the stat and all of its branches change together. */
void hotpath__count_open(struct thread *me, struct hp_stat *stat)
{
	struct guard guard;

	if (stat->repeats)
		return;
	hotpath__lock(&guard);
	store(&stat->depth, stat->open_since != 0, RELAXED);
	store(&stat->repeats, 1, RELAXED);
	for (uint32_t i = 0; i <= UINT32_MAX >> me->shift; i++)
		if (me->slots[i].branch && me->slots[i].branch->stat == stat)
			me->slots[i].branch->repeats = 1;
	hotpath__unlock(&guard);
}

/*
 * A site is called from a branch, and counted in `again` further up, or in a branch of its own (NULL). Functions that
 * are open already, in whatever branch, are found: the branches of all open calls are ancestors of the innermost one's,
 * but for those that lie between a branch that is used again and the caller. All these are on a circle of calls, and
 * are marked here too.
 */
static void note_recursion(struct thread *me, struct hp_stat *stat, const struct branch *from,
			   const struct branch *again)
{
	const struct branch *branch = from;

	for (; branch && branch->site != stat->site; branch = branch->from)
		;
	if (branch)
		hotpath__count_open(me, stat);
	for (branch = from; again && branch != again; branch = branch->from)
		if (branch->stat)
			hotpath__count_open(me, branch->stat);
}

static struct branch *make(struct thread *me, struct branch *from, uint32_t site)
{
	struct hp_stat *stat = hotpath__stat(me, site);
	struct branch *branch = stat ? same_further_up(from, site) : NULL;

	if (!stat)
		return NULL;
	note_recursion(me, stat, from, branch);
	if (branch)
		return branch;
	branch = new_branch(me);
	if (!branch)
		return NULL;
	branch->stat = stat;
	branch->site = site;
	branch->outer = from->inner;
	branch->from = from;
	grow(me, branch, from, site);
	/* Several callers share a branch that has no node of its own, so recursion would not be noted. */
	if (!branch->node || node_of(me, branch)->site == 0)
		hotpath__count_open(me, stat);
	branch->repeats = stat->repeats;
	return branch;
}

/* A branch is found from now on. The key with its caller is first: all branches that are in use are found by that. */
static void know(struct thread *me, uint64_t key, uint32_t site, struct branch *branch)
{
	put(me, key, branch);
	store(&me->last[site], branch, RELAXED);
}

struct branch *hotpath__branch(struct thread *me, struct branch *from, uint32_t site)
{
	uint64_t key = from->inner | site;
	struct branch *branch = hotpath__slot(me, key)->branch;

	/* If a siglongjmp has left it unknown to its site, its calls would always come here. */
	if (branch && *hotpath__last_of_site(me, site).at)
		return branch;
	if (!room_for_slots(me) || !room_for_last(me, site))
		return branch;
	if (!branch)
		branch = make(me, from, site);
	if (branch)
		know(me, key, site, branch);
	return branch;
}

void hotpath__know_address(struct thread *me, uintptr_t function, struct branch *branch)
{
	if (hotpath__slot(me, function)->branch)
		return;
	/* RELAXED: if it changes now, so does `unloads`, and the thread forgets all addresses at its next call. */
	if (!load(&hotpath__recorder->unloading, RELAXED) && room_for_slots(me))
		put(me, function, branch ? branch : &me->skipped);
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
		memset(me->last, 0, me->last_count * sizeof(*me->last));
		first_slot(me);
	}
}

/* No other slot was filled after this one, so none is found by a search that passes it. */
void hotpath__drop_half_slot(struct thread *me)
{
	if (me->filling)
		*me->filling = (struct slot){ 0, NULL };
	store(&me->filling, NULL, RELEASE);
}

void hotpath__forget_nested(struct thread *me)
{
	for (uint32_t i = 0; i <= UINT32_MAX >> me->shift; i++)
		if (me->slots[i].branch)
			me->slots[i].branch->nested = 0;
}

void hotpath__branch_init(struct thread *me)
{
	me->last = me->first_last;
	me->last_count = LAST_FIRST;
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
