/* SPDX-License-Identifier: MIT */
/* The newest calls of a function, collected from the rings of all lanes. */
#include "recent.h"

#include "arithmetic.h"
#include "atomic.h"
#include "kind.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A call in the ring of a lane. */
struct ring_call {
	uint64_t end;
	const struct hp_lane *lane;
	const struct hp_stat *stat;
	uint64_t place;
};

struct search {
	const struct hp_snapshot *snapshot;
	const struct hp_names *names;
	const struct hp_stat_index *index;
	const char *name;
	bool found;
	struct ring_call *calls;
	size_t count;
};

static bool is_called(const struct search *search, uint32_t id)
{
	char *label = hp_names_label(search->names, search->snapshot, id);
	bool same = label && strcmp(label, search->name) == 0;

	free(label);
	return same;
}

/* If a function is measured twice, use the calls of HOTPATH_MEASURE: only they have return values. */
static bool is_named(const struct search *search, uint32_t id)
{
	const struct hp_site *site = hp_check_site(search->snapshot->bytes, id);
	const struct hp_name *name = site ? hp_names_find(search->names, id) : NULL;

	if (!site || hp_kind_of_site((enum hp_site_kind)site->kind) || (name && name->has_twin))
		return false;
	uint32_t twin = name ? 0 : hp_names_twin(search->names, id);
	return is_called(search, id) || (twin && is_called(search, twin));
}

/* Read a call from a ring; false if it was being overwritten. */
static bool read_call(const struct search *search, const struct hp_lane *lane,
		      const struct hp_stat *stat, uint64_t place, struct hp_recent *recent)
{
	uint64_t end = load(&stat->ring[place].end, RELAXED);
	uint64_t packed = load(&stat->ring[place].duration, RELAXED);
	uint64_t now = search->snapshot->now;

	if (end == 0 || packed >> HP_CALL_VALUE_SHIFT > HP_VALUE_STRING)
		return false;
	recent->duration_ns = hp_snapshot_ns(search->snapshot, packed & HP_CALL_DURATION);
	recent->ago_ns = hp_snapshot_ns(search->snapshot, hp_minus(now, end));
	recent->tid = end >= load(&lane->since, RELAXED) ? load(&lane->tid, RELAXED) : 0;
	recent->value_kind = (uint32_t)(packed >> HP_CALL_VALUE_SHIFT);
	return true;
}

/* Prefer the long text, if there is one. */
static void read_text(struct hp_bytes bytes, const struct hp_stat *stat, uint64_t place, char *text)
{
	uint32_t size;
	const char *texts = hp_check_texts(bytes, stat);
	const char *more = hp_check_long_texts(bytes, &stat->long_texts, HP_RING, &size);

	if (more)
		hp_check_copy_text(text, more + place * size, size);
	if (texts && !text[0])
		hp_check_copy_text(text, texts + place * HP_TEXT_SIZE, HP_TEXT_SIZE);
}

/* Read the logged value of a call, which is stored in a separate array. */
static void read_value(const struct search *search, const struct hp_stat *stat, uint64_t place,
		       struct hp_recent *recent)
{
	const uint64_t *values = hp_check_values(search->snapshot->bytes, stat);

	if (values)
		recent->value = load(&values[place], RELAXED);
	if (recent->value_kind == HP_VALUE_STRING)
		read_text(search->snapshot->bytes, stat, place, recent->text);
}

static bool add_calls(struct search *search, const struct hp_lane *lane, const struct hp_stat *stat)
{
	uint64_t calls = load(&stat->calls, RELAXED);
	struct ring_call *more = realloc(search->calls,
					 (search->count + HP_RING) * sizeof(*search->calls));
	if (!more)
		return false;
	search->calls = more;
	for (uint64_t i = hp_minus(calls, HP_RING); i < calls; i++)
		more[search->count++] = (struct ring_call){
			load(&stat->ring[i % HP_RING].end, RELAXED), lane, stat, i % HP_RING
		};
	return true;
}

static bool add_site(struct search *search, uint32_t id)
{
	const struct hp_stat_index *index = search->index;

	for (uint32_t at = hp_stat_index_site(index, id).first; at;) {
		const struct hp_stat_entry *entry = &index->entries[at - 1];
		const struct hp_lane *lane;
		const struct hp_stat *stat = hp_stat_index_stat(index, search->snapshot, entry,
								&lane);
		if (stat && !add_calls(search, lane, stat))
			return false;
		search->found = true;
		at = entry->next;
	}
	return true;
}

static int newest_first(const void *a, const void *b)
{
	const struct ring_call *x = a, *y = b;

	return (x->end < y->end) - (x->end > y->end);
}

/* Keep the newest calls; returns how many, or -ENOMEM. */
static ssize_t take_newest(struct search *search, size_t most, struct hp_recent **recent)
{
	size_t count = 0;

	if (search->count)
		qsort(search->calls, search->count, sizeof(*search->calls), newest_first);
	*recent = calloc(hp_min(search->count, most) + 1, sizeof(**recent));
	for (size_t i = 0; *recent && i < search->count && count < most; i++) {
		const struct ring_call *call = &search->calls[i];
		struct hp_recent *into = &(*recent)[count];
		if (read_call(search, call->lane, call->stat, call->place, into)) {
			read_value(search, call->stat, call->place, into);
			count++;
		}
	}
	return *recent ? (ssize_t)count : -ENOMEM;
}

static ssize_t fail(struct hp_error *error, const char *format, const char *what, ssize_t why)
	__attribute__((format(printf, 2, 0)));

static ssize_t fail(struct hp_error *error, const char *format, const char *what, ssize_t why)
{
	snprintf(error->text, sizeof(error->text), format, what);
	return why;
}

ssize_t hp_recent_find(const struct hp_snapshot *snapshot, const struct hp_names *names,
		       const struct hp_stat_index *index, const char *name,
		       struct hp_recent **recent, struct hp_error *error)
{
	struct search search = { snapshot, names, index, name, false, NULL, 0 };
	uint32_t most = load(&snapshot->header->logs_limit, RELAXED);
	bool done = true;

	*recent = NULL;
	for (uint32_t id = 1; done && id <= snapshot->site_count; id++)
		done = !is_named(&search, id) || add_site(&search, id);
	ssize_t count = done ? search.found ? take_newest(&search, most, recent) : -ENOENT
			     : -ENOMEM;
	free(search.calls);
	if (count == -ENOENT)
		return fail(error, "no function is named '%s'", name, -ENOENT);
	return count < 0 ? fail(error, "%s", "out of memory", -ENOMEM) : count;
}

ssize_t hp_recent_calls(const void *bytes, size_t size, const char *name, struct hp_recent **recent,
			struct hp_error *error)
{
	struct hp_stat_index index = { .sites = NULL };
	struct hp_names names = { .items = NULL };
	struct hp_snapshot snapshot;
	const char *problem = hp_snapshot_open(&snapshot, bytes, size, false);
	ssize_t count;

	*recent = NULL;
	if (problem)
		return fail(error, "%s", problem, -EINVAL);
	if (hp_names_read(&names, &snapshot, NULL) && hp_stat_index_update(&index, &snapshot)) {
		hp_stat_index_hear(&index, &snapshot);
		count = hp_recent_find(&snapshot, &names, &index, name, recent, error);
	} else {
		count = fail(error, "%s", "out of memory", -ENOMEM);
	}
	hp_names_free(&names);
	hp_stat_index_free(&index);
	return count;
}
