/* SPDX-License-Identifier: MIT */
/*
 * Finds the namespaces and classes of C++ functions that have no symbol.
 *
 * DWARF is a tree without links to parents. But it is written in order: the children of an entry are between it and
 * its next sibling.
 */
#include "scopes.h"

#include "array.h"
#include "text.h"

#include <dwarf.h>
#include <stdint.h>
#include <stdlib.h>

enum {
	DEPTH_MAX = 64,
	/* From an inlined function over its abstract one to its declaration. */
	STEPS_MAX = 4,
};

struct hp_scope {
	Dwarf_Off begin;
	Dwarf_Off end;
	const char *name;
};

static void add(struct hp_scopes *scopes, struct hp_scope scope)
{
	/* Out of memory: only the qualification of a name is lost. */
	if (!hp_array_reserve(&scopes->items, scopes->count, &scopes->room, sizeof(scope)))
		return;
	scopes->items[scopes->count++] = scope;
}

static const char *scope_name(Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_namespace: {
		const char *name = dwarf_diename(die);
		return name ? name : "(anonymous namespace)";
	}
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		return dwarf_diename(die);
	default:
		return NULL;
	}
}

static void read_inside(struct hp_scopes *scopes, Dwarf_Die *parent, Dwarf_Off end, unsigned depth)
{
	Dwarf_Die die, next;
	bool more = depth < DEPTH_MAX && dwarf_child(parent, &die) == 0;

	while (more) {
		const char *name = scope_name(&die);
		more = dwarf_siblingof(&die, &next) == 0;
		if (name) {
			Dwarf_Off behind = more ? dwarf_dieoffset(&next) : end;
			add(scopes, (struct hp_scope){ dwarf_dieoffset(&die), behind, name });
			read_inside(scopes, &die, behind, depth + 1);
		}
		die = next;
	}
}

static bool has_scopes(Dwarf_Die *unit)
{
	switch (dwarf_srclang(unit)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
		return true;
	default:
		return false;
	}
}

/* Where a function was declared, which is in its scopes. */
static Dwarf_Die declaration(Dwarf_Die *function)
{
	Dwarf_Die die = *function, from;
	Dwarf_Attribute attribute;

	for (int i = 0; i < STEPS_MAX; i++) {
		if (!dwarf_formref_die(dwarf_attr(&die, DW_AT_abstract_origin, &attribute),
				       &from) &&
		    !dwarf_formref_die(dwarf_attr(&die, DW_AT_specification, &attribute), &from))
			break;
		die = from;
	}
	return die;
}

char *hp_scopes_name(struct hp_scopes *scopes, Dwarf_Die *unit, Dwarf_Die *function)
{
	struct hp_text text = HP_TEXT_INIT;
	Dwarf_Die declared = declaration(function);
	Dwarf_Off offset = dwarf_dieoffset(&declared);
	const char *name = dwarf_diename(function);

	if (!scopes->read && has_scopes(unit))
		read_inside(scopes, unit, UINT64_MAX, 0);
	scopes->read = true;
	for (size_t i = 0; i < scopes->count && declared.cu == unit->cu; i++)
		if (scopes->items[i].begin < offset && offset < scopes->items[i].end)
			hp_text_printf(&text, "%s::", scopes->items[i].name);
	hp_text_puts(&text, name ? name : "<inlined>");
	if (!text.failed)
		return text.bytes;
	hp_text_free(&text);
	return NULL;
}

void hp_scopes_free(struct hp_scopes *scopes)
{
	free(scopes->items);
	*scopes = (struct hp_scopes){ .items = NULL };
}
