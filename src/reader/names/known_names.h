/* SPDX-License-Identifier: MIT */
/* The names of addresses in one file that were found before, for a tool that reads many segments. */
#ifndef HP_KNOWN_NAMES_H
#define HP_KNOWN_NAMES_H

#include "intern.h"
#include "names.h"

/** Begins as zeros. */
struct hp_known_names {
	struct hp_name *items;
	size_t count;
	size_t room;
	struct hp_intern index;
};

/**
 * Fill in what is known about an address: all but its site and module.
 *
 * @return
 *         False when nothing is known, or memory ran out: then it is to be found, and to be learned.
 */
bool hp_known_names_recall(struct hp_known_names *known, struct hp_name *name);

/** Remember a name. If memory runs out, it is just found again. */
void hp_known_names_learn(struct hp_known_names *known, const struct hp_name *name);

void hp_known_names_free(struct hp_known_names *known);

#endif
