/* SPDX-License-Identifier: MIT */
/* Slots: where the numbers of a row are. And which kind a site is of. */
#include "kind.h"

#include <string.h>

const char *const hp_value_names[HP_VALUE_NAMES] = {
	[HP_VALUE_NONE] = "none",     [HP_VALUE_INT] = "int",	[HP_VALUE_UINT] = "uint",
	[HP_VALUE_DOUBLE] = "double", [HP_VALUE_BOOL] = "bool", [HP_VALUE_POINTER] = "pointer",
	[HP_VALUE_STRING] = "string",
};

const struct hp_kind *hp_kind_of_site(enum hp_site_kind site)
{
	for (size_t i = 0; hp_kinds[i]; i++)
		if (hp_kind_has_sites(hp_kinds[i]) && site >= hp_kinds[i]->first_site &&
		    site <= hp_kinds[i]->last_site)
			return hp_kinds[i];
	return NULL;
}

/* ---- members ---- */

static size_t offset_of(unsigned slot)
{
	return (slot & HP_SLOT_PLACE) - 1;
}

uint64_t hp_row_number(const void *row, unsigned slot)
{
	uint64_t number;
	uint32_t half;

	if (!slot)
		return 0;
	const char *at = (const char *)row + offset_of(slot);
	if (slot & HP_SLOT_FLAG)
		return *(const bool *)at;
	if (slot & HP_SLOT_HALF) {
		memcpy(&half, at, sizeof(half));
		return half;
	}
	memcpy(&number, at, sizeof(number));
	return number;
}

void hp_row_set(void *row, unsigned slot, uint64_t number)
{
	char *at = (char *)row + offset_of(slot);
	uint32_t half = (uint32_t)number;

	if (slot & HP_SLOT_FLAG)
		*(bool *)at = number;
	else if (slot & HP_SLOT_HALF)
		memcpy(at, &half, sizeof(half));
	else
		memcpy(at, &number, sizeof(number));
}

char **hp_row_text_of(void *row, unsigned slot)
{
	char *at = (char *)row + offset_of(slot);

	return (char **)(void *)at;
}

const char *hp_row_text(const void *row, unsigned slot)
{
	const char *at = (const char *)row + offset_of(slot);

	return *(const char *const *)(const void *)at;
}

struct hp_points *hp_row_points_of(void *row, unsigned slot)
{
	char *at = (char *)row + offset_of(slot);

	return (struct hp_points *)(void *)at;
}

const struct hp_points *hp_row_points(const void *row, unsigned slot)
{
	const char *at = (const char *)row + offset_of(slot);

	return (const struct hp_points *)(const void *)at;
}

struct hp_times *hp_entry_times_of(struct hp_entry *entry, unsigned slot)
{
	size_t first = offsetof(struct hp_entry, times);
	size_t nth = (offset_of(slot) - first) / sizeof(struct hp_times);

	return nth < HP_ENTRY_TIMES ? &entry->times[nth] : NULL;
}

const struct hp_times *hp_entry_times(const struct hp_entry *entry, unsigned slot)
{
	/* Only read. */
	return hp_entry_times_of((struct hp_entry *)(uintptr_t)entry, slot);
}

/* ---- names ---- */

const struct hp_field *hp_kind_name_field(const struct hp_kind *kind)
{
	const struct hp_field *field = kind->fields;

	while (field->unit != HP_FIELD_NAME)
		field++;
	return field;
}

const char *hp_kind_name_of(const struct hp_kind *kind, const void *row)
{
	return hp_row_text(row, hp_kind_name_field(kind)->at);
}

/* ---- sums ---- */

bool hp_field_is_of_sums(const struct hp_field *field)
{
	return field->merge == HP_MERGE_SUM || field->unit == HP_FIELD_DIFFERENCE;
}

void hp_row_add(const struct hp_field *fields, void *sum, const void *row)
{
	for (const struct hp_field *field = fields; !hp_field_is_end(field); field++) {
		if (field->merge != HP_MERGE_SUM)
			continue;
		hp_row_set(sum, field->at,
			   hp_row_number(sum, field->at) + hp_row_number(row, field->at));
		if (field->known & HP_SLOT_FLAG && hp_row_number(row, field->known))
			hp_row_set(sum, field->known, true);
	}
}

int hp_row_merge(const struct hp_field *fields, void *into, const void *from)
{
	int error = 0;

	hp_row_add(fields, into, from);
	for (const struct hp_field *field = fields; !hp_field_is_end(field) && !error; field++) {
		uint64_t number = hp_row_number(from, field->at);
		if (field->merge == HP_MERGE_MOST && number > hp_row_number(into, field->at))
			hp_row_set(into, field->at, number);
		if (field->unit == HP_FIELD_POINTS)
			error = hp_points_merge(hp_row_points_of(into, field->at),
						hp_row_points(from, field->at));
	}
	return error;
}

bool hp_row_has_counts(const struct hp_field *fields, const void *row)
{
	for (const struct hp_field *field = fields; !hp_field_is_end(field); field++)
		if (field->merge == HP_MERGE_SUM && hp_row_number(row, field->at))
			return true;
	return false;
}
