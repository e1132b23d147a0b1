/* SPDX-License-Identifier: MIT */
/* Gives equal items the same number. */
#include "intern.h"

#include <stdlib.h>

/* The first slot to probe for a hash (linear probing). */
static size_t place_of(const struct hp_intern *intern, uint32_t hash)
{
	return hash & (intern->size - 1);
}

static bool grow(struct hp_intern *intern)
{
	struct hp_intern old = *intern;

	intern->size = old.size ? old.size * 2 : 64;
	intern->slots = calloc(intern->size, sizeof(*intern->slots));
	if (!intern->slots) {
		*intern = old;
		return false;
	}
	for (size_t i = 0; i < old.size; i++) {
		size_t at = place_of(intern, old.slots[i].hash);
		if (!old.slots[i].number)
			continue;
		while (intern->slots[at].number)
			at = (at + 1) & (intern->size - 1);
		intern->slots[at] = old.slots[i];
	}
	free(old.slots);
	return true;
}

bool hp_intern(struct hp_intern *intern, uint64_t hash, const void *things, const void *key,
	       uint32_t next, uint32_t *number)
{
	uint32_t low = (uint32_t)(hash ^ hash >> 32);

	if (intern->count >= intern->size / 2 && !grow(intern))
		return false;
	size_t at = place_of(intern, low);
	for (; intern->slots[at].number; at = (at + 1) & (intern->size - 1)) {
		*number = intern->slots[at].number - 1;
		if (intern->slots[at].hash == low && intern->is_same(things, *number, key))
			return true;
	}
	intern->slots[at] = (struct hp_intern_slot){ low, next + 1 };
	intern->count++;
	*number = next;
	return true;
}

void hp_intern_free(struct hp_intern *intern)
{
	free(intern->slots);
	intern->slots = NULL;
}
