/* SPDX-License-Identifier: MIT */
/* Edges: rows whose sites are known by three numbers, most of which are ids of other sites. */
#ifndef HP_EDGE_H
#define HP_EDGE_H

#include "kind.h"

#include <stdint.h>

/** The three numbers of an edge, which are its name; 0 for those that are missing. */
void hp_edge_numbers(const char *name, uint32_t numbers[3]);

/** The name of a site, to be freed: "<unknown>" for 0 and "<readers>" for HP_HELD_BY_READERS. NULL when memory ran out. */
char *hp_edge_name(const struct hp_source *source, uint32_t site);

/** An order of rows, as for struct hp_kind: those that took longest come first. */
int hp_edges_by_total(const void *left, const void *right);

#endif
