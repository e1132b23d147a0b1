/* SPDX-License-Identifier: MIT */
/* The newest calls of a function, collected from the rings of all lanes. */
#include "reader.h"

#include "atomic.h"
#include "names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct search {
	const struct hp_snapshot *snapshot;
	struct hp_names names;
	const char *name;
	bool found;
	struct hp_recent *calls;
	size_t count;
};

static bool has_own_name(const struct search *search, const struct hp_site *site)
{
	size_t length;
	const char *name = hp_check_string(search->snapshot->bytes, site->name, &length);

	return name && strlen(search->name) == length && memcmp(name, search->name, length) == 0;
}

/* Of a function that is measured twice, the calls by which it measures itself: they have values. */
static bool is_named(const struct search *search, uint32_t id)
{
	const struct hp_site *site = hp_check_site(search->snapshot->bytes, id);
	const struct hp_name *name = site ? hp_names_find(&search->names, id) : NULL;

	if (!site || (name && name->has_twin))
		return false;
	if (!name && has_own_name(search, site))
		return true;
	if (!name)
		name = hp_names_twin(&search->names, search->snapshot, site);
	return name && strcmp(name->text, search->name) == 0;
}

/* A call as it stands in a ring; false for one that was being overwritten. */
static bool read_call(const struct search *search, const struct hp_lane *lane,
		      const struct hp_stat *stat, uint64_t place, struct hp_recent *recent)
{
	uint64_t end = load(&stat->ends[place], RELAXED);
	uint64_t packed = load(&stat->durations[place], RELAXED);
	uint64_t now = search->snapshot->now;

	if (end == 0 || packed >> HP_CALL_VALUE_SHIFT > HP_VALUE_STRING)
		return false;
	recent->duration_ns = hp_snapshot_ns(search->snapshot, packed & HP_CALL_DURATION);
	recent->ago_ns = hp_snapshot_ns(search->snapshot, now > end ? now - end : 0);
	recent->tid = end >= load(&lane->since, RELAXED) ? load(&lane->tid, RELAXED) : 0;
	recent->value_kind = (uint32_t)(packed >> HP_CALL_VALUE_SHIFT);
	return true;
}

/* What a call logged, from beside the ring. */
static void read_value(const struct search *search, const struct hp_stat *stat, uint64_t place,
		       struct hp_recent *recent)
{
	const uint64_t *values = hp_check_values(search->snapshot->bytes, stat);
	const char *texts = recent->value_kind == HP_VALUE_STRING
				    ? hp_check_texts(search->snapshot->bytes, stat)
				    : NULL;

	if (values)
		recent->value = load(&values[place], RELAXED);
	for (unsigned i = 0; texts && i < HP_TEXT_SIZE - 1; i++)
		recent->text[i] = load(&texts[place * HP_TEXT_SIZE + i], RELAXED);
}

static bool collect(void *context, const struct hp_lane *lane, const struct hp_stat *stat)
{
	struct search *search = context;
	uint64_t calls = load(&stat->calls, RELAXED);

	if (!is_named(search, stat->site))
		return true;
	search->found = true;
	struct hp_recent *more = realloc(search->calls,
					 (search->count + HP_RING) * sizeof(*search->calls));
	if (!more)
		return false;
	search->calls = more;
	for (uint64_t i = calls > HP_RING ? calls - HP_RING : 0; i < calls; i++) {
		struct hp_recent *recent = &more[search->count];
		*recent = (struct hp_recent){ 0 };
		if (read_call(search, lane, stat, i % HP_RING, recent)) {
			read_value(search, stat, i % HP_RING, recent);
			search->count++;
		}
	}
	return true;
}

static int newest_first(const void *a, const void *b)
{
	const struct hp_recent *x = a, *y = b;

	return (x->ago_ns > y->ago_ns) - (x->ago_ns < y->ago_ns);
}

ssize_t hp_recent_calls(const void *bytes, size_t size, const char *name, struct hp_recent **recent,
			struct hp_error *error)
{
	struct hp_snapshot snapshot;
	struct search search = { .snapshot = &snapshot, .name = name };
	const char *problem = hp_snapshot_open(&snapshot, bytes, size, false);

	*recent = NULL;
	if (!problem && (!hp_names_read(&search.names, &snapshot, NULL) ||
			 !hp_snapshot_each_stat(&snapshot, collect, &search)))
		problem = "out of memory";
	hp_names_free(&search.names);
	if (problem || !search.found) {
		snprintf(error->text, sizeof(error->text),
			 problem ? "%s" : "no function is named '%s'", problem ? problem : name);
		free(search.calls);
		return problem ? -EINVAL : -ENOENT;
	}
	if (search.count)
		qsort(search.calls, search.count, sizeof(*search.calls), newest_first);
	*recent = search.calls;
	uint32_t most = snapshot.header->logs_limit;
	return (ssize_t)(search.count < most ? search.count : most);
}
