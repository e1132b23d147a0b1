/* SPDX-License-Identifier: MIT */
/* Edges: rows whose sites are known by three numbers, most of which are ids of other sites. */
#include "edge.h"

#include <stdlib.h>
#include <string.h>

void hp_edge_numbers(const char *name, uint32_t numbers[3])
{
	char *rest = NULL;

	for (unsigned i = 0; i < 3; i++, name = rest)
		numbers[i] = (uint32_t)strtoul(name, &rest, 10);
}

char *hp_edge_name(const struct hp_source *source, uint32_t site)
{
	bool failed = false;
	char *name = NULL;

	if (site == HP_HELD_BY_READERS)
		return strdup("<readers>");
	if (site)
		name = source->label(source, site, &failed);
	return name || failed ? name : strdup("<unknown>");
}

int hp_edges_by_total(const void *left, const void *right)
{
	const struct hp_entry *a = *(const struct hp_entry *const *)left;
	const struct hp_entry *b = *(const struct hp_entry *const *)right;
	uint64_t ours = a->times[0].sum_ns, theirs = b->times[0].sum_ns;
	int order = (ours < theirs) - (ours > theirs);

	return order ? order : strcmp(a->name, b->name);
}
