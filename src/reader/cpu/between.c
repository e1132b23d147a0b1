/* SPDX-License-Identifier: MIT */
/* Functions of an address between the innermost, which was inlined, and the outermost, which has the code. */
#include "between.h"

#include <stdlib.h>
#include <string.h>

static void clear(struct hp_between *between)
{
	free(between->name);
	free(between->location);
	free(between->file);
}

struct hp_between *hp_betweens_add(struct hp_betweens *betweens)
{
	struct hp_between *items = reallocarray(betweens->items, (size_t)betweens->count + 1,
						sizeof(*items));

	if (!items)
		return NULL;
	betweens->items = items;
	items[betweens->count] = (struct hp_between){ .name = NULL };
	return &items[betweens->count++];
}

static bool copy_text(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return *to || !from;
}

bool hp_betweens_copy(struct hp_betweens *to, const struct hp_betweens *from, bool with_sources)
{
	bool done = true;

	*to = (struct hp_betweens){ NULL, 0 };
	if (from->count)
		to->items = calloc(from->count, sizeof(*to->items));
	if (!to->items)
		return !from->count;
	for (; done && to->count < from->count; to->count++) {
		struct hp_between *copy = &to->items[to->count];
		const struct hp_between *between = &from->items[to->count];
		done = copy_text(&copy->name, between->name);
		if (!with_sources)
			continue;
		copy->line = between->line;
		done = copy_text(&copy->location, between->location) && done;
		done = copy_text(&copy->file, between->file) && done;
	}
	return done;
}

void hp_betweens_free(struct hp_betweens *betweens)
{
	for (uint32_t i = 0; i < betweens->count; i++)
		clear(&betweens->items[i]);
	free(betweens->items);
	*betweens = (struct hp_betweens){ NULL, 0 };
}
