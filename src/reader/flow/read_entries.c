/* SPDX-License-Identifier: MIT */
/*
 * From a segment to the rows of kinds: channels, streams, futures, loops, values.
 *
 * What threads did is in the stats of a site, one for each lane; what belongs to no thread is in its shared; and the
 * messages that are in channels now are in queues, one for each channel that is open. A stat has four counters and a
 * histogram; a kind that needs more has several stats per lane, a chain of *parts*.
 */
#include "read_entries.h"

#include "atomic.h"
#include "flow_log.h"
#include "kind.h"
#include "names/own_level.h"

#include <stdlib.h>
#include <string.h>

/* What is known of a site. */
struct known {
	/* Where its shared is; and the number of its row plus one. */
	uint64_t shared;
	size_t row;
};

struct reading {
	/* First: kinds see the rest of this through it. */
	struct hp_source source;
	struct hp_build *build;
	struct hp_entries *entries;
	/* By id. */
	struct known *sites;
};

enum {
	/* Counters of a part. */
	COUNTERS = sizeof(((struct hp_stat *)0)->flow) / sizeof(uint64_t),
	COUNTERS_MAX = COUNTERS * HP_ENTRY_TIMES,
};

/* ---- what threads did ---- */

/* How many parts the stats of a kind have. */
static unsigned parts_of(const struct hp_kind *kind)
{
	unsigned parts = kind->times ? kind->times : 1;

	for (const struct hp_field *field = kind->fields; !hp_field_is_end(field); field++)
		if (field->counter && (field->counter - 1U) / COUNTERS >= parts)
			parts = (field->counter - 1U) / COUNTERS + 1;
	return parts < HP_ENTRY_TIMES ? parts : HP_ENTRY_TIMES;
}

/* A part of a stat; NULL if the thread has none. */
static const struct hp_stat *part_of(const struct hp_snapshot *snapshot, const struct hp_stat *stat,
				     unsigned part)
{
	for (; stat && part; part--)
		/* Pairs with the RELEASE that published the part. */
		stat = hp_check_stat(snapshot->bytes, load(&stat->more, ACQUIRE));
	return stat;
}

/* Add one part of all stats of a site. Returns whether there is anything. */
static bool add_part(struct hp_build *build, uint32_t id, unsigned part, uint64_t sums[COUNTERS])
{
	uint64_t any = 0;

	hp_stat_sum_begin(&build->sum);
	for (uint32_t at = hp_stat_index_site(build->index, id).first; at;) {
		const struct hp_stat_entry *entry = &build->index->entries[at - 1];
		const struct hp_lane *lane;
		const struct hp_stat *stat = hp_stat_index_stat(build->index, build->snapshot,
								entry, &lane);
		at = entry->next;
		stat = part_of(build->snapshot, stat, part);
		if (!stat)
			continue;
		hp_stat_sum_add(&build->sum, build->snapshot, lane, stat, false);
		for (unsigned i = 0; i < COUNTERS; i++)
			any |= sums[i] += load(&stat->flow[i], RELAXED);
		hp_stat_index_touch_stat(build->index, build->snapshot, stat);
	}
	return any || hp_stat_sum_has_any(&build->sum);
}

/* To the stat sum, they are calls. */
static bool take_times(struct hp_build *build, struct hp_times *times)
{
	struct hp_function calls = { .name = NULL };
	bool done = hp_stat_sum_take(&build->sum, build->snapshot, &calls);

	*times = (struct hp_times){ calls.calls, calls.sum_ns, calls.min_ns, calls.max_ns,
				    calls.times };
	calls.times = (struct hp_points){ NULL, 0 };
	hp_function_clear(&calls);
	return done;
}

static bool take_parts(struct hp_build *build, struct hp_entry *entry, uint64_t sums[COUNTERS_MAX],
		       bool *any)
{
	unsigned parts = parts_of(entry->kind);
	bool done = true;

	for (unsigned i = 0; i < parts && done; i++) {
		struct hp_times unused = { .count = 0 };
		*any |= add_part(build, entry->id, i, &sums[(size_t)i * COUNTERS]);
		done = take_times(build, i < entry->kind->times ? &entry->times[i] : &unused);
		free(unused.points.items);
	}
	return done;
}

static void set_words(const struct hp_snapshot *snapshot, const uint64_t sums[COUNTERS_MAX],
		      struct hp_entry *entry)
{
	for (const struct hp_field *field = entry->kind->fields; !hp_field_is_end(field); field++) {
		if (!field->counter)
			continue;
		uint64_t sum = sums[(field->counter - 1U) % COUNTERS_MAX];
		hp_row_set(entry, field->at,
			   field->unit == HP_FIELD_TIME ? hp_snapshot_ns(snapshot, sum) : sum);
	}
}

/* ---- locks ---- */

/* The name of a lock that the program has not named: that of its variable; or, if it has none or is not known, of the
   function that made or first locked it. NULL for other sites. */
static const struct hp_name *lock_name(const struct hp_build *build, uint32_t id)
{
	const struct hp_name *name = hp_names_find(build->names, id), *call = NULL;
	const struct hp_site *site = hp_check_site(build->snapshot->bytes, id);

	if (!name || !name->is_lock)
		return NULL;
	if (!name->has_symbol && site)
		call = hp_names_find(build->names, load(&site->place, RELAXED));
	return call ? call : name;
}

/*
 * Whether a lock is that of the compiler's library for its list of unwind tables: in a static program, its functions are among those
 * of the program. It is acquired at the start and at the end, which concerns nobody; unless exceptions make threads wait for it.
 */
static bool is_of_unwinder(const struct hp_build *build, const struct hp_entry *entry)
{
	static const char *const users[] = { "__register_frame", "__deregister_frame",
					     "_Unwind_Find_FDE" };
	const struct hp_site *site = hp_check_site(build->snapshot->bytes, entry->id);
	const struct hp_name *user;

	if (entry->site_kind != HP_SITE_MUTEX || !site || entry->times[1].count ||
	    strcmp(entry->name, "object_mutex") != 0)
		return false;
	user = hp_names_find(build->names, load(&site->place, RELAXED));
	for (size_t i = 0; user && i < sizeof(users) / sizeof(*users); i++)
		if (strncmp(user->text, users[i], strlen(users[i])) == 0)
			return true;
	return false;
}

/* The function that uses a lock, or waits: the program's own, not one of the library that is inlined there. */
static const char *user_of(const struct hp_name *name)
{
	return hp_name_level(name, hp_name_own_level(name));
}

/* ---- what kinds ask ---- */

static struct hp_build *build_of(const struct hp_source *source)
{
	return ((const struct reading *)(const void *)source)->build;
}

static uint64_t get_ns(const struct hp_source *source, uint64_t ticks)
{
	return hp_snapshot_ns(build_of(source)->snapshot, ticks);
}

static uint64_t get_now(const struct hp_source *source)
{
	return build_of(source)->snapshot->now;
}

/* Since the message was sent that took the last room. */
static uint64_t get_full(const struct hp_source *source, const struct hp_queue *queue)
{
	const struct hp_snapshot *snapshot = build_of(source)->snapshot;
	uint64_t capacity = load(&queue->capacity, RELAXED);
	uint64_t received = load(&queue->received, RELAXED);
	uint64_t last = received + capacity - 1, stamp;

	if (!capacity || (int64_t)(load(&queue->sent, RELAXED) - received - capacity) < 0)
		return 0;
	stamp = hp_check_stamp(snapshot->bytes, queue, last);
	return hp_is_stamp_of(stamp, last) ? hp_stamp_age(stamp, snapshot->now) : 0;
}

static char *get_label(const struct hp_source *source, uint32_t site, bool *failed)
{
	return hp_site_label(build_of(source), site, failed);
}

char *hp_site_label(const struct hp_build *build, uint32_t site, bool *failed)
{
	bool exists = hp_check_site(build->snapshot->bytes, site);
	const struct hp_name *name = exists ? hp_names_find(build->names, site) : NULL;
	char *label = NULL;

	if (name && name->is_lock)
		name = lock_name(build, site);
	if (exists)
		label = name && (name->is_lock || name->is_call)
				? strdup(user_of(name))
				: hp_names_label(build->names, build->snapshot, site);
	*failed = exists && !label;
	return label;
}

static uint32_t get_line(const struct hp_source *source, uint32_t id)
{
	const struct hp_site *site = hp_check_site(build_of(source)->snapshot->bytes, id);

	return site ? load(&site->line, RELAXED) : 0;
}

static struct hp_site_calls get_calls(const struct hp_source *source, uint32_t site)
{
	const struct hp_build *build = build_of(source);
	uint32_t row = site <= build->snapshot->site_count ? build->rows[site] : 0;
	const struct hp_function *calls = row ? &build->model->functions[row - 1] : NULL;

	if (!calls || calls->kind != HP_SITE_POLL)
		return (struct hp_site_calls){ .count = 0 };
	return (struct hp_site_calls){ calls->calls, calls->total_ns, calls->max_ns,
				       calls->alloc.inclusive_bytes, calls->alloc.inclusive_count };
}

static bool get_last(const struct hp_source *source, const struct hp_shared *shared,
		     uint64_t *value_kind, uint64_t *bits, char **string)
{
	struct hp_bytes bytes = build_of(source)->snapshot->bytes;
	const struct hp_log *log = hp_check_log(bytes, shared);
	char text[HP_LONG_TEXT_MAX];
	struct hp_logged item;
	bool found = false;

	for (uint64_t i = 0; log && i < HP_LOG && !found; i++)
		found = hp_flow_logged(bytes, log, i, &item, text);
	if (!found || item.value_kind > HP_VALUE_STRING)
		return true;
	*value_kind = item.value_kind;
	*bits = item.value;
	if (item.value_kind == HP_VALUE_STRING)
		*string = strdup(text);
	return *string || item.value_kind != HP_VALUE_STRING;
}

/* ---- rows ---- */

static bool describe_lock(const struct hp_name *name, struct hp_entry *entry)
{
	struct hp_name_place place = hp_name_place(name, hp_name_own_level(name));

	entry->name = strdup(user_of(name));
	entry->file = place.file ? strdup(place.file) : NULL;
	entry->line = entry->file ? place.line : 0;
	return entry->name != NULL;
}

static bool describe(const struct hp_build *build, const struct hp_site *site,
		     struct hp_entry *entry)
{
	const struct hp_name *lock = lock_name(build, entry->id);

	if (lock)
		return describe_lock(lock, entry);
	entry->name = hp_names_label(build->names, build->snapshot, entry->id);
	entry->is_labelled = load(&site->module, RELAXED) == 0;
	entry->file = hp_snapshot_string(build->snapshot, site->file);
	entry->line = site->line;
	return entry->name != NULL;
}

static bool fill_row(const struct reading *reading, const struct hp_site *site,
		     struct hp_entry *entry, bool *any)
{
	struct hp_build *build = reading->build;
	const struct hp_shared *shared = hp_check_shared(build->snapshot->bytes,
							 reading->sites[entry->id].shared);
	uint64_t sums[COUNTERS_MAX] = { 0 };

	if (!take_parts(build, entry, sums, any) || !describe(build, site, entry))
		return false;
	set_words(build->snapshot, sums, entry);
	return !shared || !entry->kind->read || entry->kind->read(entry, shared, &reading->source);
}

static bool add_row(struct reading *reading, uint32_t id, const struct hp_site *site,
		    enum hp_site_kind site_kind)
{
	struct hp_entry entry = { .kind = hp_kind_of_site(site_kind),
				  .site_kind = site_kind,
				  .id = id };
	bool any = false, done = fill_row(reading, site, &entry, &any);

	/* Nothing may be left of an earlier session; and there may be counts that are of no thread. */
	bool is_empty = done && ((!any && !hp_row_has_counts(entry.kind->fields, &entry)) ||
				 is_of_unwinder(reading->build, &entry));
	if (done && !is_empty && hp_entries_append(reading->entries, entry)) {
		reading->sites[id].row = reading->entries->count;
		return true;
	}
	hp_entry_clear(&entry);
	return is_empty;
}

static bool add_rows(struct reading *reading)
{
	const struct hp_build *build = reading->build;

	for (uint32_t id = 1; id <= build->snapshot->site_count; id++) {
		if (!reading->sites[id].shared && !hp_stat_index_site(build->index, id).first)
			continue;
		const struct hp_site *site = hp_check_site(build->snapshot->bytes, id);
		/* Read once: in a damaged segment it may differ the next time. */
		enum hp_site_kind kind = site ? (enum hp_site_kind)load(&site->kind, RELAXED) : 0;
		if (site && hp_kind_of_site(kind) && !add_row(reading, id, site, kind))
			return false;
	}
	return true;
}

static void find_shares(const struct reading *reading)
{
	const struct hp_snapshot *snapshot = reading->build->snapshot;
	uint64_t left = hp_check_most(snapshot->bytes, sizeof(struct hp_shared));
	/* Pairs with the RELEASE that published the shared. */
	uint64_t at = load(&snapshot->header->shares, ACQUIRE);
	const struct hp_shared *shared;

	for (; left && (shared = hp_check_shared(snapshot->bytes, at)); left--) {
		uint32_t id = load(&shared->site, RELAXED);
		if (id <= snapshot->site_count && !reading->sites[id].shared)
			reading->sites[id].shared = at;
		hp_stat_index_touch(reading->build->index, at);
		at = load(&shared->next, RELAXED);
	}
}

/* ---- what is in queues ---- */

static void add_queue(const struct reading *reading, const struct hp_queue *queue)
{
	/* Pairs with the RELEASE that put the queue to this use. */
	uint32_t id = load(&queue->site, ACQUIRE);
	size_t row = id <= reading->build->snapshot->site_count ? reading->sites[id].row : 0;
	struct hp_entry *entry = row ? &reading->entries->items[row - 1] : NULL;

	if (entry && entry->kind->add_queue)
		entry->kind->add_queue(entry, queue, &reading->source);
}

static void add_queues(const struct reading *reading)
{
	const struct hp_snapshot *snapshot = reading->build->snapshot;
	uint64_t left = hp_check_most(snapshot->bytes, sizeof(struct hp_queue));
	/* Pairs with the RELEASE that published the queue. */
	uint64_t at = load(&snapshot->header->queues, ACQUIRE);
	const struct hp_queue *queue;

	for (; left && (queue = hp_check_queue(snapshot->bytes, at)); left--) {
		add_queue(reading, queue);
		hp_stat_index_touch(reading->build->index, at);
		at = load(&queue->next, RELAXED);
	}
}

static void settle(struct hp_entries *entries)
{
	for (size_t i = 0; i < entries->count; i++)
		if (entries->items[i].kind->settle)
			entries->items[i].kind->settle(&entries->items[i]);
}

bool hp_entries_read(struct hp_build *build)
{
	struct reading reading = { { get_ns, get_now, get_full, get_label, get_line, get_calls,
				     get_last },
				   build,
				   &build->model->entries,
				   NULL };

	/* Every site of a kind has a shared. */
	if (!load(&build->snapshot->header->shares, RELAXED))
		return true;
	reading.sites = calloc((size_t)build->snapshot->site_count + 1, sizeof(*reading.sites));
	if (!reading.sites)
		return false;
	find_shares(&reading);
	bool done = add_rows(&reading);
	add_queues(&reading);
	settle(reading.entries);
	free(reading.sites);
	return hp_entries_join(reading.entries) == 0 && done;
}
