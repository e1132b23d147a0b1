/* SPDX-License-Identifier: MIT */
/* The nodes of one lane, sorted by offset, so that a parent is found by binary search. */
#include "lane_nodes.h"

#include "array.h"
#include "atomic.h"

#include <stdlib.h>

/* One more than the highest number of a node. */
enum { NUMBERS = HP_NODES_MAX + 2 };

static bool add_node(struct hp_lane_nodes *nodes, uint64_t at, const struct hp_node *node)
{
	if (!hp_array_reserve(&nodes->items, nodes->count, &nodes->room, sizeof(*nodes->items)))
		return false;
	nodes->items[nodes->count++] = (struct hp_lane_node){
		.at = at,
		.node = node,
		.site = load(&node->site, RELAXED),
		.number = load(&node->number, RELAXED),
		.figures = { .calls = load(&node->calls, RELAXED),
			     .total_ns = load(&node->total, RELAXED),
			     .self_ns = load(&node->self, RELAXED),
			     .recursive = load(&node->recursive, RELAXED) != 0 },
	};
	return true;
}

static int by_offset(const void *left, const void *right)
{
	const struct hp_lane_node *a = left, *b = right;

	return (a->at > b->at) - (a->at < b->at);
}

/* Remove duplicates: in a damaged segment the list may be a cycle. */
static void drop_repeated(struct hp_lane_nodes *nodes)
{
	size_t kept = 0;

	for (size_t i = 0; i < nodes->count; i++) {
		if (kept > 0 && nodes->items[kept - 1].at == nodes->items[i].at)
			continue;
		/* Copying a struct onto itself is undefined. */
		if (kept != i)
			nodes->items[kept] = nodes->items[i];
		kept++;
	}
	nodes->count = kept;
}

/* The list is newest first, and newer nodes mostly have higher offsets; so reverse it before sorting. */
static void sort_nodes(struct hp_lane_nodes *nodes)
{
	bool sorted = true;

	for (size_t i = 0; i < nodes->count / 2; i++) {
		struct hp_lane_node item = nodes->items[i];
		nodes->items[i] = nodes->items[nodes->count - 1 - i];
		nodes->items[nodes->count - 1 - i] = item;
	}
	for (size_t i = 1; i < nodes->count && sorted; i++)
		sorted = nodes->items[i - 1].at <= nodes->items[i].at;
	if (!sorted)
		qsort(nodes->items, nodes->count, sizeof(*nodes->items), by_offset);
}

static bool note_numbers(struct hp_lane_nodes *nodes)
{
	if (!nodes->numbered)
		nodes->numbered = calloc(NUMBERS, sizeof(*nodes->numbered));
	if (!nodes->numbered)
		return false;
	for (uint32_t i = 0; i < nodes->count; i++)
		if (nodes->items[i].number < NUMBERS)
			nodes->numbered[nodes->items[i].number] = i;
	return true;
}

bool hp_lane_nodes_read(struct hp_lane_nodes *nodes, const struct hp_snapshot *snapshot,
			const struct hp_lane *lane)
{
	/* Pairs with the RELEASE that published the node. */
	uint64_t at = load(&lane->nodes, ACQUIRE);
	const struct hp_node *node;

	nodes->count = 0;
	for (; nodes->left && (node = hp_check_node(snapshot->bytes, at));
	     nodes->left--, at = node->next)
		if (!add_node(nodes, at, node))
			return false;
	sort_nodes(nodes);
	drop_repeated(nodes);
	return note_numbers(nodes);
}

struct hp_lane_node *hp_lane_nodes_find(const struct hp_lane_nodes *nodes, uint64_t at)
{
	struct hp_lane_node wanted = { .at = at };

	if (at == 0 || nodes->count == 0)
		return NULL;
	return bsearch(&wanted, nodes->items, nodes->count, sizeof(*nodes->items), by_offset);
}

struct hp_lane_node *hp_lane_nodes_numbered(const struct hp_lane_nodes *nodes, uint32_t number)
{
	if (number < 2 || number >= NUMBERS || !nodes->numbered)
		return NULL;
	uint32_t at = nodes->numbered[number];
	return at < nodes->count && nodes->items[at].number == number ? &nodes->items[at] : NULL;
}

struct hp_lane_node *hp_lane_nodes_parent(const struct hp_lane_nodes *nodes,
					  const struct hp_lane_node *item)
{
	return hp_lane_nodes_find(nodes, item->node->parent);
}
