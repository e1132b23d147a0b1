/* SPDX-License-Identifier: MIT */
/*
 * From the nodes of every lane to one call tree.
 *
 *	lane 1      lane 2             the tree
 *	main        thread             main      thread
 *	└─ work     └─ work      ──►   └─ work   └─ work
 *	lane 3                            └─ read
 *	main
 *	└─ work
 *	   └─ read
 *
 * A node whose parent is missing, is part of a cycle, or is too deep, is attached to the root.
 *
 * A function that has both HOTPATH_MEASURE and compiler instrumentation has two sites. When it is recursive, nodes of
 * both alternate: address → name → address → name. They become one branch: its calls are those of the site that comes
 * first, its total is that of the first node, which includes the others, and its self time is the sum of all.
 *
 * Only the sites of calls in progress are known, and when the outermost call of each began, but not their nodes. They
 * must form a path down from the root. Of all possible paths, the one with the most open sites is taken, and of those
 * the shortest.
 */
#include "lane_tree.h"

#include "atomic.h"
#include "branches.h"
#include "lane_nodes.h"
#include "stat_sum.h"

#include <stdlib.h>
#include <string.h>

enum { LEVELS = HP_BRANCH_DEPTH_MAX + 1 };

/* A site with calls in progress in a lane: when the outermost one began, and how many there are. */
struct opening {
	uint32_t site;
	uint32_t depth;
	uint64_t since;
};

struct work {
	const struct hp_snapshot *snapshot;
	struct hp_stat_index *index;
	const uint32_t *rows;
	struct hp_branches branches;
	/* The lane that is being read, and its nodes. */
	const struct hp_lane *lane;
	struct hp_lane_nodes nodes;
	/* How many more stats the segment has room for: bounds the walk over damaged lists. */
	uint64_t stats_left;
	/* The calls in progress in this lane, sorted by when they began. */
	struct opening openings[LEVELS];
	unsigned opening_count;
	/*
	 * The innermost node of the path that was chosen for the calls in progress, and the whole path, innermost
	 * first.
	 */
	struct hp_lane_node *innermost;
	struct hp_lane_node *open[LEVELS];
	unsigned open_count;
};

/* Add the calls that are still only in the ring of a stat: they are not in the figures of their nodes yet. */
static void add_waiting(struct work *work, const struct hp_stat *stat)
{
	uint64_t calls = load(&stat->calls, RELAXED);
	/* Pairs with the RELEASE of flushing: what is not in the figures is in the ring. */
	uint64_t flushed = load(&stat->flushed, ACQUIRE);
	struct hp_lane_node *item = NULL;

	for (uint64_t i = flushed; i < calls && i - flushed < HP_FLUSH; i++) {
		uint64_t packed = load(&stat->ring[i % HP_RING].duration, RELAXED);
		uint64_t place = load(&stat->places[i % HP_FLUSH], RELAXED);
		uint32_t number = (uint32_t)(place >> HP_NODE_SHIFT);

		if (!item || item->number != number)
			item = hp_lane_nodes_numbered(&work->nodes, number);
		if (!item)
			continue;
		item->figures.calls++;
		item->figures.self_ns += place & HP_CALL_DURATION;
		if (packed & HP_CALL_SAME_NODE)
			item->figures.recursive = true;
		else
			item->figures.total_ns += packed & HP_CALL_DURATION;
	}
}

/*
 * The number of calls in progress of a stat on the lane's stack; the caller counts too, wherever it is, because it
 * says when it began.
 */
static uint32_t depth_of(const struct work *work, const struct hp_stat *stat)
{
	uint32_t depth = hp_stat_depth(stat);

	if (stat->site == load(&work->snapshot->header->caller, RELAXED) && !depth)
		return load(&stat->open, RELAXED) > 0;
	return depth;
}

/* Insert a site with calls in progress in sorted order; if there is no room, the latest ones are dropped. */
static void add_opening(struct work *work, const struct hp_stat *stat)
{
	struct opening opening = { stat->site, depth_of(work, stat),
				   load(&stat->open_since, RELAXED) };
	unsigned at = work->opening_count;

	if (!opening.depth)
		return;
	if (work->opening_count < LEVELS)
		work->opening_count++;
	for (; at > 0 && work->openings[at - 1].since > opening.since; at--)
		if (at < LEVELS)
			work->openings[at] = work->openings[at - 1];
	if (at < LEVELS)
		work->openings[at] = opening;
}

static void read_stats(struct work *work, const struct hp_lane *lane)
{
	/* Pairs with the RELEASE that published the stat. */
	uint64_t at = load(&lane->stats, ACQUIRE);
	const struct hp_stat *stat;

	work->opening_count = 0;
	work->lane = lane;
	for (; work->stats_left && (stat = hp_check_stat(work->snapshot->bytes, at));
	     work->stats_left--, at = load(&stat->next, RELAXED)) {
		add_waiting(work, stat);
		add_opening(work, stat);
		hp_stat_index_touch(work->index, at);
	}
}

static const struct opening *find_opening(const struct work *work, uint32_t site)
{
	for (unsigned i = 0; i < work->opening_count; i++)
		if (work->openings[i].site == site)
			return &work->openings[i];
	return NULL;
}

static bool is_above(const struct work *work, const struct hp_lane_node *item, uint32_t site)
{
	for (unsigned i = 0; item && i < LEVELS;
	     i++, item = hp_lane_nodes_parent(&work->nodes, item))
		if (item->site == site)
			return true;
	return false;
}

/*
 * Decide whether a node can be in progress, given that its parent can; sites that did not fit into the table have no
 * name.
 */
static void follow(struct work *work, struct hp_lane_node *item, const struct hp_lane_node *above)
{
	const struct opening *opening = find_opening(work, item->site);
	unsigned sites = above ? above->sites_open : 0;
	uint64_t latest = above ? above->latest : 0;

	if ((above && !above->nodes_open) || (item->site ? !opening : sites >= work->opening_count))
		return;
	if (opening && opening->since >= latest && !is_above(work, above, item->site)) {
		sites++;
		latest = opening->since;
	} else if (opening && opening->depth < 2) {
		return;
	}
	item->sites_open = sites + !item->site;
	item->nodes_open = (above ? above->nodes_open : 0) + 1;
	item->latest = latest;
	const struct hp_lane_node *best = work->innermost;
	if (!best || item->sites_open > best->sites_open ||
	    (item->sites_open == best->sites_open && item->nodes_open < best->nodes_open))
		work->innermost = item;
}

/* Internal calls of the recorder are not shown; what they call counts for their caller. */
static bool is_hidden(const struct work *work, uint32_t id)
{
	const struct hp_site *site = hp_check_site(work->snapshot->bytes, id);

	return site && site->kind == HP_SITE_CALIBRATION;
}

static int32_t row_of(const struct work *work, uint32_t site)
{
	bool has_row = site && site <= work->snapshot->site_count && work->rows[site];

	return has_row ? (int32_t)work->rows[site] - 1 : HP_NO_FUNCTION;
}

/* Whether the calls of this node count. If not, they are the same calls seen by another site of the function. */
static bool is_counted(const struct hp_lane_node *item)
{
	return item->site == item->counted;
}

/* Merge a node into the branch of its parent, or give it a branch below that. */
static bool attach(struct work *work, struct hp_lane_node *item, const struct hp_lane_node *above)
{
	int32_t parent = above ? above->branch : HP_NO_BRANCH;

	item->placed = true;
	item->branch = parent;
	item->folded = true;
	item->counted = above ? above->counted : 0;
	if (is_hidden(work, item->site))
		return true;
	item->branch = hp_branches_get(&work->branches, parent, row_of(work, item->site));
	if (item->branch == HP_BRANCH_FAILED)
		return false;
	item->folded = item->branch == parent;
	if (!item->folded)
		item->counted = item->site;
	if (item->folded && is_counted(item))
		hp_branches_add_inner(&work->branches, item->branch, &item->figures);
	else
		hp_branches_add(&work->branches, item->branch, parent, &item->figures);
	return true;
}

/* Attach a node to the tree, after all its ancestors. */
static bool place(struct work *work, struct hp_lane_node *item)
{
	struct hp_lane_node *path[LEVELS];
	unsigned count = 0;

	for (; item && !item->placed && count < LEVELS;
	     item = hp_lane_nodes_parent(&work->nodes, item))
		path[count++] = item;
	struct hp_lane_node *above = item && item->placed ? item : NULL;
	while (count--) {
		/* In a cycle, the node is on the path already. */
		if (!path[count]->placed) {
			follow(work, path[count], above);
			if (!attach(work, path[count], above))
				return false;
		}
		above = path[count];
	}
	return true;
}

static struct hp_branch *branch_of(const struct work *work, const struct hp_lane_node *item)
{
	return &work->branches.model->branches[item->branch];
}

static void mark_open(struct work *work)
{
	struct hp_lane_node *item = work->innermost;

	work->open_count = 0;
	for (; item && work->open_count < LEVELS; item = hp_lane_nodes_parent(&work->nodes, item)) {
		work->open[work->open_count++] = item;
		if (is_counted(item))
			branch_of(work, item)->open++;
	}
}

/* The outermost node of a site on the chosen path, and how many nodes of the site are on it. */
static struct hp_lane_node *outermost(const struct work *work, uint32_t site, unsigned *count)
{
	struct hp_lane_node *found = NULL;

	*count = 0;
	for (unsigned i = 0; i < work->open_count; i++) {
		if (work->open[i]->site == site) {
			found = work->open[i];
			++*count;
		}
	}
	return found;
}

/*
 * The time so far of a call in progress: wall clock time for the caller; for the others without the profiler's part.
 */
static uint64_t so_far(const struct work *work, const struct opening *opening)
{
	uint64_t now = work->snapshot->now;

	if (!opening->since || opening->since >= now)
		return 0;
	if (opening->site == load(&work->snapshot->header->caller, RELAXED))
		return now - opening->since;
	return hp_snapshot_so_far(work->snapshot, work->lane, opening->since);
}

/*
 * Add the time so far of the calls in progress. Only the beginning of the outermost call of a site is known; direct
 * recursion is in the same node.
 */
static void add_time_so_far(struct work *work, const struct opening *opening)
{
	unsigned nodes;
	struct hp_lane_node *item = outermost(work, opening->site, &nodes);

	if (!item || item->folded)
		return;
	if (opening->depth > nodes)
		branch_of(work, item)->open += opening->depth - nodes;
	branch_of(work, item)->total_ns += so_far(work, opening);
}

static bool add_lane(struct work *work, const struct hp_lane *lane)
{
	if (!hp_lane_nodes_read(&work->nodes, work->snapshot, lane))
		return false;
	work->innermost = NULL;
	for (size_t i = 0; i < work->nodes.count; i++)
		hp_stat_index_touch(work->index, work->nodes.items[i].at);
	if (work->nodes.count)
		read_stats(work, lane);
	for (size_t i = 0; i < work->nodes.count; i++)
		if (!place(work, &work->nodes.items[i]))
			return false;
	mark_open(work);
	for (unsigned i = 0; i < work->opening_count; i++)
		add_time_so_far(work, &work->openings[i]);
	return true;
}

static bool add_lanes(struct work *work)
{
	struct hp_lanes lanes = hp_snapshot_lanes(work->snapshot);

	for (const struct hp_lane *lane; (lane = hp_lanes_next(&lanes));)
		if (!add_lane(work, lane))
			return false;
	return true;
}

/*
 * The profiler's cost is subtracted as an average per call, so self time may come out slightly too low or too high.
 */
static void convert_times(const struct hp_snapshot *snapshot, struct hp_branch *branch)
{
	uint64_t self = branch->self_ns;

	if ((int64_t)self < 0)
		self = 0;
	if (self > branch->total_ns)
		self = branch->total_ns;
	branch->total_ns = hp_snapshot_ns(snapshot, branch->total_ns);
	branch->self_ns = hp_snapshot_ns(snapshot, self);
}

static void close_gaps(struct hp_model *model, int32_t *kept)
{
	size_t count = 0;

	for (size_t i = 0; i < model->branch_count; i++) {
		struct hp_branch branch = model->branches[i];
		if (!kept[i])
			continue;
		if (branch.parent != HP_NO_BRANCH)
			branch.parent = kept[branch.parent];
		kept[i] = (int32_t)count;
		model->branches[count++] = branch;
	}
	model->branch_count = count;
}

/* Remove branches without calls and children: the recorder allocated them in advance. */
static bool drop_empty(struct hp_model *model)
{
	int32_t *kept = calloc(model->branch_count + 1, sizeof(*kept));
	if (!kept)
		return false;

	for (size_t i = model->branch_count; i-- > 0;) {
		const struct hp_branch *branch = &model->branches[i];
		kept[i] |= branch->calls || branch->open;
		if (kept[i] && branch->parent != HP_NO_BRANCH)
			kept[branch->parent] = 1;
	}
	close_gaps(model, kept);
	free(kept);
	return true;
}

bool hp_tree_read(const struct hp_snapshot *snapshot, struct hp_stat_index *index,
		  const uint32_t *rows, struct hp_model *model)
{
	struct work work = { .snapshot = snapshot, .index = index, .rows = rows };

	model->has_tree = load(&snapshot->header->node_size, RELAXED) >= sizeof(struct hp_node);
	if (!model->has_tree)
		return true;
	work.nodes.left = hp_check_most(snapshot->bytes, sizeof(struct hp_node));
	work.stats_left = hp_check_most(snapshot->bytes, sizeof(struct hp_stat));
	if (hp_branches_open(&work.branches, model))
		return false;
	bool read = add_lanes(&work);
	hp_branches_close(&work.branches);
	free(work.nodes.items);
	free(work.nodes.numbered);
	for (size_t i = 0; i < model->branch_count; i++)
		convert_times(snapshot, &model->branches[i]);
	return read && drop_empty(model) && hp_branches_settle(model) == 0;
}
