/* SPDX-License-Identifier: MIT */
/* Data kept between repeated reads of one segment. */
#include "cache.h"

#include "arithmetic.h"
#include "atomic.h"
#include "build.h"
#include "calls/calling.h"
#include "calls/recent.h"
#include "flow/flow_log.h"
#include "names/patterns.h"
#include "process/gather.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* The program may start a new session while its segment is read. */
	TRIES = 3,
	/*
	 * How many stats have their histograms read in one pass, of visible functions and of others. If there are
	 * more, they take turns.
	 */
	HISTOGRAMS_SEEN = 160,
	HISTOGRAMS_UNSEEN = 48,
	/* Of those whose newest calls are wanted, which are at most so many at each pass. */
	HISTOGRAMS_WANTED = 1024,
};

/* A site's row from the last pass, and what to read of the site in this pass. */
struct kept {
	/* The row as of the last time it was added up; its name is NULL if there was nothing to show. */
	struct hp_function row;
	bool was_read;
	/*
	 * The site, and its histograms, which are read less often, are to be added up in this pass. After the pass:
	 * they were added up.
	 */
	bool is_due;
	bool is_whole_due;
	/* The newest calls are to be in it, too. */
	bool is_newest_due;
	/* The pass that read the histograms, and the last one that read them with the newest calls. */
	uint64_t whole_pass;
	uint64_t newest_pass;
};

struct hp_cache {
	struct hp_names names;
	struct hp_stat_index index;
	uint32_t session;
	/* Passes so far. */
	uint64_t pass;
	/* Sites by id. */
	struct kept *sites;
	uint32_t site_count;
	/* Round-robin positions: of all sites, and for histograms of the wanted sites, the visible ones and all. */
	uint32_t turn;
	size_t wanted_turn;
	size_t seen_turn;
	uint32_t unseen_turn;
	/* Holds the notes about names and patterns; and the newest module when they were made. */
	struct hp_model *notes;
	uint64_t modules;
	struct hp_build build;
	/* Comes last, and is never cleared: of its near megabyte, only pages that were written take memory. */
	struct hp_gather gather;
};

struct hp_cache *hp_cache_new(void)
{
	return calloc(1, sizeof(struct hp_cache));
}

/* Drop the figures, which belong to one session; functions and names stay valid. */
static void forget_figures(struct hp_cache *cache)
{
	for (uint32_t id = 1; id <= cache->site_count; id++)
		hp_function_clear(&cache->sites[id].row);
	free(cache->sites);
	cache->sites = NULL;
	cache->site_count = cache->turn = 0;
	hp_stat_index_free(&cache->index);
}

void hp_cache_clear(struct hp_cache *cache)
{
	forget_figures(cache);
	hp_names_free(&cache->names);
	hp_model_free(cache->notes);
	uint64_t pass = cache->pass;
	memset(cache, 0, offsetof(struct hp_cache, gather));
	cache->pass = pass;
}

void hp_cache_free(struct hp_cache *cache)
{
	if (!cache)
		return;
	hp_cache_clear(cache);
	free(cache);
}

/* ---- which are added up ---- */

static bool more_sites(struct hp_cache *cache, uint32_t count)
{
	struct kept *sites = reallocarray(cache->sites, (size_t)count + 1, sizeof(*sites));

	if (!sites)
		return false;
	uint32_t known = cache->sites ? cache->site_count + 1 : 0;
	memset(sites + known, 0, (count + 1 - known) * sizeof(*sites));
	cache->sites = sites;
	cache->site_count = count;
	return true;
}

static unsigned stats_of(const struct hp_cache *cache, uint32_t id)
{
	return hp_stat_index_site(&cache->index, id).count;
}

/* Twins are joined into one row, so both must be added up in the same pass. */
static void pair_twins(struct hp_cache *cache)
{
	for (uint32_t id = 1; id <= cache->site_count; id++) {
		uint32_t twin = hp_names_twin(&cache->names, id);
		if (!twin || twin > cache->site_count)
			continue;
		struct kept *one = &cache->sites[id], *other = &cache->sites[twin];
		one->is_due = other->is_due = one->is_due || other->is_due;
		one->is_whole_due = other->is_whole_due = one->is_whole_due || other->is_whole_due;
		one->is_newest_due = other->is_newest_due = one->is_newest_due ||
							    other->is_newest_due;
	}
}

/* Choose the sites that must be added up in this pass. */
static void choose_first(struct hp_cache *cache, const struct hp_glance *glance, uint32_t caller)
{
	for (uint32_t id = 1; id <= cache->site_count; id++) {
		struct kept *site = &cache->sites[id];
		/* The polls of a future are shown with the future, which is added up in every pass. */
		site->is_due = glance->quota == 0 || !site->was_read || site->row.is_caller ||
			       site->row.kind == HP_SITE_POLL || id == caller;
		site->is_whole_due = glance->quota == 0 || !site->was_read;
		site->is_newest_due = false;
	}
	for (size_t i = 0; i < glance->visible_count; i++) {
		uint32_t id = glance->visible[i];
		if (id && id <= cache->site_count)
			cache->sites[id].is_due = true;
	}
	pair_twins(cache);
}

/* Choose further sites: at least one per pass, so that every site gets its turn. */
static void choose_turns(struct hp_cache *cache, size_t quota)
{
	size_t stats = 0;

	for (uint32_t i = 0; i < cache->site_count && (stats < quota || !stats); i++) {
		cache->turn = cache->turn % cache->site_count + 1;
		struct kept *site = &cache->sites[cache->turn];
		size_t more = site->is_due ? 0 : stats_of(cache, cache->turn);
		site->is_due |= more > 0;
		stats += more;
	}
	pair_twins(cache);
}

/* Returns how many stats that takes. */
static size_t take_whole(struct hp_cache *cache, uint32_t id)
{
	struct kept *site = id && id <= cache->site_count ? &cache->sites[id] : NULL;

	if (!site || site->is_whole_due)
		return 0;
	site->is_due = site->is_whole_due = true;
	return stats_of(cache, id);
}

/* Returns how many stats that takes. */
static size_t choose_wanted(struct hp_cache *cache, const struct hp_glance *glance)
{
	size_t stats = 0;

	for (size_t i = 0; i < glance->whole_count && stats < HISTOGRAMS_WANTED; i++) {
		uint32_t id = glance->visible[cache->wanted_turn++ % glance->whole_count];
		if (!id || id > cache->site_count)
			continue;
		cache->sites[id].is_newest_due = true;
		stats += take_whole(cache, id);
	}
	return stats;
}

static void choose_whole(struct hp_cache *cache, const struct hp_glance *glance)
{
	size_t unseen = hp_min(glance->quota, HISTOGRAMS_UNSEEN);
	/* Those that are wanted leave half of the room to others that are visible. */
	size_t stats = hp_min(choose_wanted(cache, glance), HISTOGRAMS_SEEN / 2);

	for (size_t i = 0; i < glance->visible_count && stats < HISTOGRAMS_SEEN; i++)
		stats += take_whole(cache,
				    glance->visible[cache->seen_turn++ % glance->visible_count]);
	stats = 0;
	for (uint32_t i = 0; i < cache->site_count && stats < unseen; i++) {
		cache->unseen_turn = cache->unseen_turn % cache->site_count + 1;
		stats += take_whole(cache, cache->unseen_turn);
	}
	pair_twins(cache);
}

/* ---- a read ---- */

static struct hp_stat_wish wish(const void *context, uint32_t id)
{
	const struct hp_cache *cache = context;

	return (struct hp_stat_wish){ .without_histograms = !cache->sites[id].is_whole_due,
				      .wants_newest = cache->sites[id].is_newest_due };
}

static void swap_points(struct hp_points *a, struct hp_points *b)
{
	struct hp_points c = *a;

	*a = *b;
	*b = c;
}

/* A row that was added up without histograms keeps those of the last complete pass. */
static void take_histograms(struct hp_function *row, struct hp_function *before)
{
	swap_points(&row->times, &before->times);
	for (unsigned i = 0; i < HP_ALLOC_HISTOGRAMS; i++)
		swap_points(&row->alloc.calls[i], &before->alloc.calls[i]);
}

static void keep_gathered(struct hp_cache *cache, uint32_t id, const struct hp_function *row)
{
	struct kept *site = &cache->sites[id];
	struct hp_function before = site->row;

	site->row = *row;
	site->was_read = true;
	if (!site->is_whole_due && row->id)
		take_histograms(&site->row, &before);
	hp_function_clear(&before);
	site->whole_pass = site->is_whole_due ? cache->pass : site->whole_pass;
	if (site->is_whole_due && site->is_newest_due)
		site->newest_pass = cache->pass;
}

static void keep_in_place(struct hp_cache *cache, uint32_t id, const struct hp_function *row)
{
	struct kept *site = &cache->sites[id];

	site->row = *row;
	site->was_read = true;
	site->whole_pass = site->newest_pass = cache->pass;
}

/* Find the next sites to be added up, from an id on, which is moved behind them. Returns how many there are. */
static size_t next_due(const struct hp_cache *cache, uint32_t *id,
		       uint32_t ids[HP_STAT_BATCH_SITES])
{
	size_t count = 0;

	for (; *id <= cache->site_count && count < HP_STAT_BATCH_SITES; ++*id)
		if (cache->sites[*id].is_due)
			ids[count++] = *id;
	return count;
}

/* If all are read, the rows of the last pass go first: their histograms take as much memory as those that come. */
static bool add_up_batch(struct hp_cache *cache, const uint32_t *ids, size_t count)
{
	struct hp_function *rows = calloc(count, sizeof(*rows));
	bool is_gathered = cache->build.gather;

	for (size_t i = 0; !is_gathered && i < count; i++)
		hp_function_clear(&cache->sites[ids[i]].row);
	bool done = rows && hp_build_functions(&cache->build, ids, count, rows);
	for (size_t i = 0; rows && i < count; i++)
		(is_gathered ? keep_gathered : keep_in_place)(cache, ids[i], &rows[i]);
	free(rows);
	return done;
}

static bool add_up(struct hp_cache *cache)
{
	uint32_t ids[HP_STAT_BATCH_SITES], next = 1;
	bool done = true;

	for (size_t count; done && (count = next_due(cache, &next, ids));)
		done = add_up_batch(cache, ids, count);
	return done;
}

static bool copy_string(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return *to || !from;
}

static bool copy_points(struct hp_points *to, const struct hp_points *from)
{
	size_t size = from->count * sizeof(*from->items);

	*to = (struct hp_points){ size ? malloc(size) : NULL, from->count };
	if (to->items)
		memcpy(to->items, from->items, size);
	else
		to->count = 0;
	return to->items || !size;
}

/* Even on failure, the parts that were copied must be freed. */
static bool copy_row(struct hp_function *to, const struct hp_function *from)
{
	*to = *from;
	bool done = copy_string(&to->name, from->name);
	done &= copy_string(&to->file, from->file);
	done &= copy_string(&to->module, from->module);
	done &= copy_points(&to->times, &from->times);
	for (unsigned i = 0; i < HP_ALLOC_HISTOGRAMS; i++)
		done &= copy_points(&to->alloc.calls[i], &from->alloc.calls[i]);
	return done;
}

static bool copy_rows(struct hp_cache *cache)
{
	struct hp_build *build = &cache->build;
	struct hp_model *model = build->model;
	size_t count = 0;

	for (uint32_t id = 1; id <= cache->site_count; id++)
		count += cache->sites[id].row.id != 0;
	model->functions = calloc(count + 1, sizeof(*model->functions));
	if (!model->functions)
		return false;
	for (uint32_t id = 1; id <= cache->site_count; id++) {
		const struct hp_function *row = &cache->sites[id].row;
		if (!row->id)
			continue;
		build->rows[id] = (uint32_t)++model->function_count;
		if (!copy_row(&model->functions[model->function_count - 1], row))
			return false;
	}
	return true;
}

/* The name of a function may change when others are found, for example to tell overloads apart. */
static bool rename_rows(struct hp_cache *cache, const struct hp_snapshot *snapshot)
{
	for (size_t i = 0; i < cache->names.count; i++) {
		const struct hp_name *name = &cache->names.items[i];
		struct hp_function *row = name->site <= cache->site_count
						  ? &cache->sites[name->site].row
						  : NULL;
		char *text = row && row->name ? hp_names_label(&cache->names, snapshot, name->site)
					      : NULL;
		if (row && row->name && !text)
			return false;
		if (text) {
			free(row->name);
			row->name = text;
		}
	}
	return true;
}

static bool renew_notes(struct hp_cache *cache, const struct hp_snapshot *snapshot)
{
	hp_model_free(cache->notes);
	cache->notes = calloc(1, sizeof(*cache->notes));
	return cache->notes && hp_names_note(&cache->names, snapshot, cache->notes) &&
	       hp_patterns_check(snapshot, cache->notes);
}

static bool learn_names(struct hp_cache *cache, const struct hp_snapshot *snapshot,
			struct hp_model *model)
{
	/* Pairs with the RELEASE that published the newest module. */
	uint64_t modules = load(&snapshot->header->modules, ACQUIRE);
	bool changed;

	if (!hp_names_update(&cache->names, snapshot, &changed) ||
	    (changed && !rename_rows(cache, snapshot)))
		return false;
	if ((changed || !cache->notes || modules != cache->modules) &&
	    !renew_notes(cache, snapshot))
		return false;
	cache->modules = modules;
	return hp_model_add_notes(model, cache->notes);
}

static bool read_model(struct hp_cache *cache, const struct hp_glance *glance,
		       struct hp_snapshot *snapshot)
{
	struct hp_model *model = cache->build.model;
	uint32_t caller = load(&snapshot->header->caller, RELAXED);

	if (!hp_build_begin(&cache->build) || !more_sites(cache, snapshot->site_count) ||
	    !learn_names(cache, snapshot, model) || !hp_stat_index_update(&cache->index, snapshot))
		return false;
	hp_stat_index_hear(&cache->index, snapshot);
	choose_first(cache, glance, caller);
	choose_turns(cache, glance->quota);
	choose_whole(cache, glance);
	/* If everything is read, it is read in place: in the order of the segment, that is the least work. */
	cache->build.gather = glance->quota && glance->read ? &cache->gather : NULL;
	return add_up(cache) && copy_rows(cache) && hp_build_complete(&cache->build);
}

/* Whether all that was read belongs to one session, and to the bytes that were available. */
static bool is_consistent(const struct hp_cache *cache, const struct hp_snapshot *snapshot)
{
	/* ACQUIRE keeps the reads above before this load. Pairs with the RELEASE that began the session. */
	return load(&snapshot->header->session, ACQUIRE) == cache->session &&
	       load(&snapshot->header->used, ACQUIRE) <= snapshot->bytes.size;
}

static struct hp_model *read_once(struct hp_cache *cache, struct hp_snapshot *snapshot,
				  const struct hp_exit *exit, const struct hp_glance *glance)
{
	struct hp_model *model = calloc(1, sizeof(*model));
	/* Pairs with the RELEASE that began the session. */
	uint32_t session = load(&snapshot->header->session, ACQUIRE);

	if (session != cache->session)
		forget_figures(cache);
	/* The number of sites never shrinks, unless this is another segment. */
	if (snapshot->site_count < cache->names.site_count)
		hp_cache_clear(cache);
	cache->session = session;
	cache->pass++;
	cache->build = (struct hp_build){ .snapshot = snapshot,
					  .model = model,
					  .exit = exit,
					  .names = &cache->names,
					  .index = &cache->index,
					  .wish = wish,
					  .context = cache };
	cache->gather.read = glance->read;
	cache->gather.context = cache->index.context = glance->context;
	cache->index.pause = glance->pause;
	if (model && !read_model(cache, glance, snapshot)) {
		hp_model_free(model);
		model = NULL;
	}
	hp_build_end(&cache->build);
	/* A failed pass may have left the cache in any state. */
	if (!model)
		hp_cache_clear(cache);
	return model;
}

struct hp_model *hp_cache_read(struct hp_cache *cache, const void *bytes, size_t size,
			       const struct hp_exit *exit, const struct hp_glance *glance,
			       struct hp_error *error)
{
	for (int i = 1;; i++) {
		struct hp_snapshot snapshot;
		const char *problem = hp_snapshot_open(&snapshot, bytes, size,
						       exit && exit->running);
		if (!problem)
			hp_snapshot_set_rate(&snapshot, glance->ticks_per_second);
		struct hp_model *model = problem ? NULL : read_once(cache, &snapshot, exit, glance);
		if (!model)
			snprintf(error->text, sizeof(error->text), "%s",
				 problem ? problem : "out of memory");
		if (!model || i == TRIES || is_consistent(cache, &snapshot))
			return model;
		hp_model_free(model);
	}
}

bool hp_cache_was_read(const struct hp_cache *cache, uint32_t id)
{
	return id <= cache->site_count && cache->sites && cache->sites[id].is_due;
}

uint64_t hp_cache_histogram(const struct hp_cache *cache, uint32_t id)
{
	return id <= cache->site_count && cache->sites ? cache->sites[id].whole_pass : 0;
}

bool hp_cache_has_newest_calls(const struct hp_cache *cache, uint32_t id)
{
	return id <= cache->site_count && cache->sites &&
	       cache->sites[id].newest_pass == cache->pass;
}

uint32_t hp_cache_session(const struct hp_cache *cache)
{
	return cache->session;
}

/* ---- one function ---- */

static ssize_t fail(struct hp_error *error, ssize_t why, const char *what)
{
	snprintf(error->text, sizeof(error->text), "%s", what);
	return why;
}

ssize_t hp_cache_recent(struct hp_cache *cache, const void *bytes, size_t size, bool running,
			const char *name, struct hp_recent **recent, struct hp_error *error)
{
	struct hp_snapshot snapshot;
	const char *problem = hp_snapshot_open(&snapshot, bytes, size, running);

	*recent = NULL;
	if (problem)
		return fail(error, -EINVAL, problem);
	hp_stat_index_hear(&cache->index, &snapshot);
	return hp_recent_find(&snapshot, &cache->names, &cache->index, name, recent, error);
}

ssize_t hp_cache_events(struct hp_cache *cache, const void *bytes, size_t size, bool running,
			uint32_t id, struct hp_flow_event **events)
{
	struct hp_snapshot snapshot;

	*events = NULL;
	if (hp_snapshot_open(&snapshot, bytes, size, running))
		return -EINVAL;
	hp_stat_index_hear(&cache->index, &snapshot);
	return hp_flow_events_of(&snapshot, &cache->index, id, events);
}

ssize_t hp_cache_calling(struct hp_cache *cache, const void *bytes, size_t size, bool running,
			 uint32_t id, struct hp_calling **calling, struct hp_error *error)
{
	struct hp_snapshot snapshot;
	const char *problem = hp_snapshot_open(&snapshot, bytes, size, running);

	*calling = NULL;
	if (problem)
		return fail(error, -EINVAL, problem);
	hp_stat_index_hear(&cache->index, &snapshot);
	ssize_t count = hp_calling_find(&snapshot, &cache->index, id, calling);
	return count < 0 ? fail(error, count, strerror((int)-count)) : count;
}
