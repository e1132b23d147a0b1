/* SPDX-License-Identifier: MIT */
/* The nodes of one lane, sorted by offset, so that a parent is found by binary search. */
#ifndef HP_LANE_NODES_H
#define HP_LANE_NODES_H

#include "model.h"
#include "process/snapshot.h"

/** A node of a lane, and the branch that it was merged into. */
struct hp_lane_node {
	/** Its offset in the segment. */
	uint64_t at;
	const struct hp_node *node;
	uint32_t site;
	uint32_t number;
	/** Times are in ticks. */
	struct hp_branch figures;
	/**
	 * For the path from the root to this node, if every call on it may be in progress: the number of open sites
	 * on it, the number of nodes, and when the latest of these sites began.
	 */
	unsigned sites_open;
	unsigned nodes_open;
	uint64_t latest;
	bool placed;
	/** Merged into the parent's branch, whose total already includes this node's. */
	bool folded;
	/** The site whose calls count as the calls of the branch. */
	uint32_t counted;
	int32_t branch;
};

/** Zero-initialised, but for what is left; the arrays are from malloc. */
struct hp_lane_nodes {
	struct hp_lane_node *items;
	size_t count;
	size_t room;
	/** For each number of a node, its index in items; only valid if the node there has that number. */
	uint32_t *numbered;
	/** How many more nodes the segment has room for, in all lanes: bounds the walk over damaged lists. */
	uint64_t left;
};

/** Read the nodes of a lane in place of those of another one. Returns false when memory ran out. */
bool hp_lane_nodes_read(struct hp_lane_nodes *nodes, const struct hp_snapshot *snapshot,
			const struct hp_lane *lane);

/** The node at an offset of the segment; NULL if there is none. */
struct hp_lane_node *hp_lane_nodes_find(const struct hp_lane_nodes *nodes, uint64_t at);

/** The node with a number; NULL if there is none. */
struct hp_lane_node *hp_lane_nodes_numbered(const struct hp_lane_nodes *nodes, uint32_t number);

struct hp_lane_node *hp_lane_nodes_parent(const struct hp_lane_nodes *nodes,
					  const struct hp_lane_node *item);

#endif
