/* SPDX-License-Identifier: MIT */
/* Finds the namespaces and classes of C++ functions that have no symbol. */
#ifndef HP_SCOPES_H
#define HP_SCOPES_H

#include "libdw.h"

#include <stdbool.h>
#include <stddef.h>

/** Of one unit, each before those inside of it. Begins as zeros. */
struct hp_scopes {
	struct hp_scope *items;
	size_t count;
	size_t room;
	bool read;
};

/**
 * The name of a function with its scopes: "shapes::Box::area".
 *
 * @param scopes
 *         Of the unit; they are read when they are first needed.
 * @return
 *         From malloc; NULL when memory ran out.
 */
char *hp_scopes_name(struct hp_scopes *scopes, Dwarf_Die *unit, Dwarf_Die *function);

void hp_scopes_free(struct hp_scopes *scopes);

#endif
