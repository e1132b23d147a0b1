/* SPDX-License-Identifier: MIT */
/* The names of addresses in one file that were found before: the processes of a run mostly execute the same code. */
#include "known_names.h"

#include "array.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* With more, all are forgotten: those that are executed often are soon known again. */
	KNOWN_MAX = 32 * 1024,
};

static bool is_same(const void *items, uint32_t number, const void *key)
{
	const struct hp_name *a = (const struct hp_name *)items + number, *b = key;

	return a->address == b->address && a->is_call == b->is_call && a->is_inside == b->is_inside;
}

/* The place of a name, which has no text until it is learned; NULL when memory ran out. */
static struct hp_name *place_of(struct hp_known_names *known, const struct hp_name *name)
{
	uint32_t next, number;

	if (known->count == KNOWN_MAX)
		hp_known_names_free(known);
	known->index.is_same = is_same;
	next = (uint32_t)known->count;
	if (!hp_array_reserve(&known->items, next, &known->room, sizeof(*known->items)) ||
	    !hp_intern(&known->index, hp_hash(name->is_call, name->address), known->items, name,
		       next, &number))
		return NULL;
	if (number == next)
		known->items[known->count++] = (struct hp_name){ .address = name->address,
								 .is_call = name->is_call,
								 .is_inside = name->is_inside };
	return &known->items[number];
}

static bool copy_text(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return *to || !from;
}

/* Copy a name with all its texts; the copy has no site and no mark. Returns false when memory ran out. */
static bool copy(struct hp_name *to, const struct hp_name *from)
{
	const struct hp_name_detail *detail = &from->detail;

	*to = *from;
	to->site = 0;
	to->mark = NULL;
	to->symbol = (struct hp_symbol){ .name = NULL };
	/* All are copied, also if one fails: none may be shared. */
	bool done = copy_text(&to->text, from->text);
	done = copy_text(&to->full, from->full) && done;
	done = copy_text(&to->detail.inlined, detail->inlined) && done;
	done = copy_text(&to->detail.file, detail->file) && done;
	done = hp_betweens_copy(&to->detail.between, &detail->between, true) && done;
	done = copy_text(&to->detail.place_file, detail->place_file) && done;
	return copy_text(&to->detail.outer_file, detail->outer_file) && done;
}

bool hp_known_names_recall(struct hp_known_names *known, struct hp_name *name)
{
	const struct hp_name *place = place_of(known, name);
	struct hp_name found;

	if (!place || !place->text)
		return false;
	if (!copy(&found, place)) {
		hp_name_clear(&found);
		return false;
	}
	found.site = name->site;
	found.module = name->module;
	*name = found;
	return true;
}

void hp_known_names_learn(struct hp_known_names *known, const struct hp_name *name)
{
	struct hp_name *place = place_of(known, name), learned;

	if (!place || place->text)
		return;
	if (copy(&learned, name))
		*place = learned;
	else
		hp_name_clear(&learned);
}

void hp_known_names_free(struct hp_known_names *known)
{
	for (size_t i = 0; i < known->count; i++)
		hp_name_clear(&known->items[i]);
	free(known->items);
	hp_intern_free(&known->index);
	*known = (struct hp_known_names){ .items = NULL };
}
