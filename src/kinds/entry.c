/* SPDX-License-Identifier: MIT */
/* Rows of kinds: lists of them, and several processes made one. */
#include "entry.h"

#include "kind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Room is doubled: it is there up to the next power of two. */
bool hp_entries_append(struct hp_entries *entries, struct hp_entry entry)
{
	size_t count = entries->count;

	if ((count & (count - 1)) == 0) {
		struct hp_entry *items = reallocarray(entries->items, count ? count * 2 : 1,
						      sizeof(*items));
		if (!items)
			return false;
		entries->items = items;
	}
	entries->items[entries->count++] = entry;
	return true;
}

/* ---- order ---- */

static int compare_strings(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Rows for which this is 0 are merged. */
static int by_place(const void *left, const void *right)
{
	const struct hp_entry *a = left, *b = right;
	int order = compare_numbers(b->is_labelled, a->is_labelled);

	if (!order)
		order = compare_strings(a->name, b->name);
	if (!order)
		order = compare_strings(a->file, b->file);
	if (!order)
		order = compare_numbers(a->line, b->line);
	if (!order)
		order = compare_numbers(a->site_kind, b->site_kind);
	for (unsigned i = 0; !order && a->kind->texts_tell && i < HP_ENTRY_TEXTS; i++)
		order = compare_strings(a->texts[i], b->texts[i]);
	return order;
}

static int by_place_and_site(const void *left, const void *right)
{
	const struct hp_entry *a = left, *b = right;
	int order = by_place(a, b);

	return order ? order : compare_numbers(a->id, b->id);
}

void hp_entries_sort(struct hp_entries *entries)
{
	if (entries->count)
		qsort(entries->items, entries->count, sizeof(*entries->items), by_place_and_site);
}

/* ---- merging ---- */

static bool copy_string(char **to, const char *from)
{
	char *copy = from ? strdup(from) : NULL;
	if (from && !copy)
		return false;

	free(*to);
	*to = copy;
	return true;
}

/* A double that is no number is neither less nor more than another. */
static uint64_t extreme_of(const struct hp_field *field, const struct hp_entry *into,
			   const struct hp_entry *from)
{
	uint64_t mine = hp_row_number(into, field->at), other = hp_row_number(from, field->at);
	double a, b;

	memcpy(&a, &mine, sizeof(a));
	memcpy(&b, &other, sizeof(b));
	bool is_beyond = field->merge == HP_MERGE_LEAST_DOUBLE ? b < a : b > a;
	bool is_known = hp_row_number(from, field->known);
	return is_known && (!hp_row_number(into, field->known) || is_beyond || a != a) ? other
										       : mine;
}

/* Which of two values was the last is not known. */
static bool merge_value(const struct hp_field *field, struct hp_entry *into,
			const struct hp_entry *from)
{
	unsigned bits = HP_SLOT_NEXT(field->at);

	if (hp_row_number(into, field->at) != HP_VALUE_NONE)
		return true;
	hp_row_set(into, field->at, hp_row_number(from, field->at));
	hp_row_set(into, bits, hp_row_number(from, bits));
	return copy_string(&into->texts[0], from->texts[0]);
}

/* What other numbers tell about, before those change: the text of the largest, extremes of what is known. */
static bool merge_told(const struct hp_field *field, struct hp_entry *into,
		       const struct hp_entry *from)
{
	if (field->unit == HP_FIELD_VALUE)
		return merge_value(field, into, from);
	if (field->merge == HP_MERGE_LEAST_DOUBLE || field->merge == HP_MERGE_MOST_DOUBLE)
		hp_row_set(into, field->at, extreme_of(field, into, from));
	if (field->merge == HP_MERGE_WITH_MOST &&
	    hp_row_number(from, field->over) > hp_row_number(into, field->over))
		return copy_string(hp_row_text_of(into, field->at), hp_row_text(from, field->at));
	return true;
}

static void merge_most(const struct hp_field *field, struct hp_entry *into,
		       const struct hp_entry *from)
{
	uint64_t other = hp_row_number(from, field->at);

	if (field->merge == HP_MERGE_MOST && other > hp_row_number(into, field->at))
		hp_row_set(into, field->at, other);
}

static int merge_times(struct hp_times *into, const struct hp_times *from)
{
	if (from->count && (!into->count || from->min_ns < into->min_ns))
		into->min_ns = from->min_ns;
	if (from->max_ns > into->max_ns)
		into->max_ns = from->max_ns;
	into->count += from->count;
	into->sum_ns += from->sum_ns;
	return hp_points_merge(&into->points, &from->points);
}

static int merge_row(struct hp_entry *into, const struct hp_entry *from)
{
	const struct hp_kind *kind = into->kind;
	int error = 0;

	for (const struct hp_field *field = kind->fields; !hp_field_is_end(field); field++)
		if (!merge_told(field, into, from))
			return -ENOMEM;
	if (kind->merge)
		kind->merge(into, from);
	for (const struct hp_field *field = kind->fields; !hp_field_is_end(field); field++)
		merge_most(field, into, from);
	hp_row_add(kind->fields, into, from);
	for (unsigned i = 0; i < kind->times && !error; i++)
		error = merge_times(&into->times[i], &from->times[i]);
	if (kind->settle)
		kind->settle(into);
	return error;
}

static bool copy_texts(struct hp_entry *copy, const struct hp_entry *from)
{
	bool done = copy_string(&copy->name, from->name) && copy_string(&copy->file, from->file);

	for (unsigned i = 0; i < HP_ENTRY_TEXTS && done; i++)
		done = copy_string(&copy->texts[i], from->texts[i]);
	return done;
}

static bool copy_times(struct hp_entry *copy, const struct hp_entry *from)
{
	bool done = true;

	for (unsigned i = 0; i < HP_ENTRY_TIMES && done; i++)
		done = merge_times(&copy->times[i], &from->times[i]) == 0;
	return done;
}

/* The copy belongs to no site, and nobody watches it. */
static int append_copy(struct hp_entries *into, const struct hp_entry *from)
{
	struct hp_entry copy = { .kind = from->kind,
				 .site_kind = from->site_kind,
				 .is_labelled = from->is_labelled,
				 .line = from->line };

	memcpy(copy.words, from->words, sizeof(copy.words));
	bool done = copy_texts(&copy, from) && copy_times(&copy, from) &&
		    hp_entries_append(into, copy);
	if (!done)
		hp_entry_clear(&copy);
	return done ? 0 : -ENOMEM;
}

struct hp_entry *hp_entries_find(const struct hp_entries *sorted, const struct hp_entry *entry)
{
	return sorted->count
		       ? bsearch(entry, sorted->items, sorted->count, sizeof(*entry), by_place)
		       : NULL;
}

int hp_entries_merge(struct hp_entries *into, const struct hp_entries *from)
{
	size_t count = into->count;
	int error = 0;

	hp_entries_sort(into);
	for (size_t i = 0; i < from->count && !error; i++) {
		const struct hp_entry *entry = &from->items[i];
		struct hp_entries known = { into->items, count };
		struct hp_entry *same = hp_entries_find(&known, entry);
		error = same ? merge_row(same, entry) : append_copy(into, entry);
	}
	hp_entries_sort(into);
	return error;
}

/* Rows that are one are neighbours, since they are sorted. */
int hp_entries_join(struct hp_entries *entries)
{
	size_t count = 0;
	int error = 0;

	hp_entries_sort(entries);
	for (size_t i = 0; i < entries->count; i++) {
		struct hp_entry *entry = &entries->items[i], *last = entry;
		if (count)
			last = &entries->items[count - 1];
		if (last == entry || error || !entry->kind->joins || by_place(last, entry)) {
			entries->items[count++] = *entry;
			continue;
		}
		error = merge_row(last, entry);
		hp_entry_clear(entry);
	}
	entries->count = count;
	return error;
}

void hp_entry_clear(struct hp_entry *entry)
{
	free(entry->name);
	free(entry->file);
	for (unsigned i = 0; i < HP_ENTRY_TEXTS; i++)
		free(entry->texts[i]);
	for (unsigned i = 0; i < HP_ENTRY_TIMES; i++)
		free(entry->times[i].points.items);
	*entry = (struct hp_entry){ .name = NULL };
}

void hp_entries_clear(struct hp_entries *entries)
{
	for (size_t i = 0; i < entries->count; i++)
		hp_entry_clear(&entries->items[i]);
	free(entries->items);
	*entries = (struct hp_entries){ NULL, 0 };
}
