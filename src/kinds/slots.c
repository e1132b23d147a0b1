/* SPDX-License-Identifier: MIT */
/* Slots: where the numbers of an entry are. And which kind a site is of. */
#include "kind.h"

const char *const hp_value_names[HP_VALUE_NAMES] = {
	[HP_VALUE_NONE] = "none",     [HP_VALUE_INT] = "int",	[HP_VALUE_UINT] = "uint",
	[HP_VALUE_DOUBLE] = "double", [HP_VALUE_BOOL] = "bool", [HP_VALUE_POINTER] = "pointer",
	[HP_VALUE_STRING] = "string",
};

const struct hp_kind *hp_kind_of_site(enum hp_site_kind site)
{
	for (size_t i = 0; hp_kinds[i]; i++)
		if (site >= hp_kinds[i]->first_site && site <= hp_kinds[i]->last_site)
			return hp_kinds[i];
	return NULL;
}

/* The number of a slot's times. */
static unsigned times_at(unsigned slot)
{
	return (slot - 1 - HP_ENTRY_WORDS) / HP_TIMES_PARTS % HP_ENTRY_TIMES;
}

struct hp_times *hp_entry_times_of(struct hp_entry *entry, unsigned slot)
{
	return slot > HP_ENTRY_WORDS ? &entry->times[times_at(slot)] : NULL;
}

const struct hp_times *hp_entry_times(const struct hp_entry *entry, unsigned slot)
{
	return slot > HP_ENTRY_WORDS ? &entry->times[times_at(slot)] : NULL;
}

uint64_t *hp_entry_slot(struct hp_entry *entry, unsigned slot)
{
	struct hp_times *times = hp_entry_times_of(entry, slot);

	if (!times)
		return &entry->words[slot - 1];
	uint64_t *const parts[HP_TIMES_PARTS] = { &times->count, &times->sum_ns, &times->min_ns,
						  &times->max_ns };
	return parts[(slot - 1 - HP_ENTRY_WORDS) % HP_TIMES_PARTS];
}

uint64_t hp_entry_number(const struct hp_entry *entry, unsigned slot)
{
	/* Only read. */
	return slot ? *hp_entry_slot((struct hp_entry *)(uintptr_t)entry, slot) : 0;
}
