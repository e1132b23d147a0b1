/* SPDX-License-Identifier: MIT */
/*
 * Edges: sites that are known by three numbers, such as a function that waits, one that holds a lock, and the lock.
 *
 * The site's name is these numbers, as text. To write that, and to find a site by its name, takes longer than what is
 * recorded; so a hash table finds an edge by the numbers themselves.
 */
#include "flow.h"

#include "calls/sites.h"
#include "probe.h"
#include "process/lifecycle.h"
#include "process/platform.h"
#include "process/room.h"

#include <stdio.h>

enum {
	/* A power of two. More edges are found by their names. */
	EDGES_MAX = 16384,
	WINDOW = 16,
};

struct edge {
	uint32_t kind;
	uint32_t numbers[3];
	/* The site; 0 in an empty entry. Stored last, with RELEASE. */
	uint32_t id;
};

static bool is_same(const struct edge *edge, const struct edge *key)
{
	return load(&edge->kind, RELAXED) == key->kind &&
	       load(&edge->numbers[0], RELAXED) == key->numbers[0] &&
	       load(&edge->numbers[1], RELAXED) == key->numbers[1] &&
	       load(&edge->numbers[2], RELAXED) == key->numbers[2];
}

/* The entry of an edge, or the empty one that it can have; NULL when there is none. */
static struct edge *find(const struct edge *key)
{
	struct edge *edges = load(&hotpath__recorder->edges, CONSUME);
	uint64_t mixed = ((uint64_t)key->numbers[0] << 40) ^ ((uint64_t)key->numbers[1] << 20) ^
			 key->numbers[2] ^ ((uint64_t)key->kind << 58);
	uint32_t at = (uint32_t)((mixed * UINT64_C(0x9e3779b97f4a7c15)) >> 40);

	for (unsigned i = 0; edges && i < WINDOW; i++) {
		struct edge *edge = &edges[(at + i) % EDGES_MAX];
		/* ACQUIRE pairs with the RELEASE in learn. */
		if (!load(&edge->id, ACQUIRE) || is_same(edge, key))
			return edge;
	}
	return NULL;
}

static uint32_t register_edge(const struct edge *key)
{
	char name[40];
	struct hotpath_site site = { name, NULL, 0, key->kind, 0, 0 };

	snprintf(name, sizeof(name), "%u %u %u", key->numbers[0], key->numbers[1], key->numbers[2]);
	return hotpath__site_register(&site);
}

SELDOM static uint32_t learn(const struct edge *key)
{
	struct recorder *recorder = hotpath__recorder;
	struct guard guard;

	hotpath__lock(&guard);
	if (!recorder->edges)
		store(&recorder->edges, hotpath__private(EDGES_MAX * sizeof(struct edge)), RELEASE);
	uint32_t id = register_edge(key);
	struct edge *edge = find(key);
	if (id && edge && !edge->id) {
		store(&edge->kind, key->kind, RELAXED);
		for (unsigned i = 0; i < 3; i++)
			store(&edge->numbers[i], key->numbers[i], RELAXED);
		store(&edge->id, id, RELEASE);
	}
	hotpath__unlock(&guard);
	if (!id)
		hotpath__count(HP_COUNTER_flows);
	return id;
}

uint32_t hotpath__edge_site(uint32_t kind, uint32_t first, uint32_t second, uint32_t third)
{
	struct edge key = { kind, { first, second, third }, 0 };

	if (hotpath__is_idle() || hotpath__ready() != STATE_RUNNING)
		return 0;
	const struct edge *edge = find(&key);
	uint32_t id = edge ? load(&edge->id, RELAXED) : 0;
	return likely(id) ? id : learn(&key);
}
