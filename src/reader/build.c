/* SPDX-License-Identifier: MIT */
/*
 * From the stats of every lane to one row per function.
 *
 * The stats are first sorted into lists by their site; then each site's are added up, one site after the
 * other, so that one histogram of full size is enough.
 */
#include "reader.h"

#include "allocations.h"
#include "atomic.h"
#include "patterns.h"
#include "samples.h"
#include "snapshot.h"
#include "tenants.h"
#include "tree.h"
#include "twins.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	const struct hp_lane *lane;
	const struct hp_stat *stat;
	/* The next entry of the same site, plus one. */
	uint32_t next;
};

struct work {
	const struct hp_snapshot *snapshot;
	struct hp_model *model;
	struct hp_names names;
	/* The first entry of each site, plus one; and its row, plus one. */
	uint32_t *sites;
	uint32_t *rows;
	uint32_t site_count;
	struct entry *entries;
	size_t entry_count;
	size_t entry_room;
	bool with_tree;
	/* The calls of a lane, and the one that had most. */
	const struct hp_lane *lane;
	uint64_t lane_calls;
	const struct hp_lane *busiest;
	uint64_t most_calls;
	uint64_t buckets[HP_BUCKETS];
	struct hp_alloc_sum alloc;
};

static bool more_entries(struct work *work)
{
	size_t room = work->entry_room ? work->entry_room * 2 : 256;
	struct entry *entries = room < UINT32_MAX ? realloc(work->entries, room * sizeof(*entries))
						  : NULL;

	if (!entries)
		return false;
	work->entries = entries;
	work->entry_room = room;
	return true;
}

/* Not the recorder's own, nor a call of malloc. */
static bool is_function(const struct hp_site *site)
{
	return site->kind != HP_SITE_CALIBRATION && site->kind != HP_SITE_CALL;
}

static void count_in_lane(struct work *work, const struct hp_lane *lane, const struct hp_stat *stat)
{
	const struct hp_site *site = hp_check_site(work->snapshot->bytes, stat->site);

	if (lane != work->lane)
		work->lane_calls = 0;
	work->lane = lane;
	if (site && is_function(site))
		work->lane_calls += load(&stat->calls, RELAXED);
	if (work->lane_calls > work->most_calls) {
		work->most_calls = work->lane_calls;
		work->busiest = lane;
	}
}

static bool collect(void *context, const struct hp_lane *lane, const struct hp_stat *stat)
{
	struct work *work = context;
	uint32_t site = stat->site;

	if (site == 0 || site > work->site_count)
		return true;
	count_in_lane(work, lane, stat);
	if (work->entry_count == work->entry_room && !more_entries(work))
		return false;
	work->entries[work->entry_count++] = (struct entry){ lane, stat, work->sites[site] };
	work->sites[site] = (uint32_t)work->entry_count;
	return true;
}

/* The figures of one site over all its lanes, in ticks. */
struct sum {
	uint64_t calls, total, so_far, self, nested, min, max;
	/* Of signed numbers, whose sum must not overflow. */
	uint64_t open;
	uint64_t samples, inclusive_samples, alloc_ticks;
};

/* Outermost calls in progress count up to now; operations do not say when they began, the caller does. */
static uint64_t in_progress(const struct hp_snapshot *snapshot, const struct hp_stat *stat,
			    bool is_caller)
{
	uint64_t since = load(&stat->open_since, RELAXED);
	bool open = load(&stat->depth, RELAXED) || (is_caller && load(&stat->open, RELAXED) > 0);

	return open && since && since < snapshot->now ? snapshot->now - since : 0;
}

static void add_buckets(struct work *work, const struct hp_stat *stat)
{
	const uint32_t *carries = hp_check_carries(work->snapshot->bytes, stat);

	for (unsigned octave = 0; octave < HP_OCTAVES; octave++) {
		const uint32_t *counts = hp_check_octave(work->snapshot->bytes, stat->octaves,
							 octave);
		uint64_t *into = &work->buckets[(size_t)octave * HP_OCTAVE_BUCKETS];

		for (unsigned i = 0; counts && i < HP_OCTAVE_BUCKETS; i++)
			into[i] += load(&counts[i], RELAXED);
	}
	for (unsigned i = 0; carries && i < HP_BUCKETS; i++)
		work->buckets[i] += (uint64_t)load(&carries[i], RELAXED) << 32;
}

static void stretch(struct sum *sum, uint64_t min, uint64_t max)
{
	if (min < sum->min)
		sum->min = min;
	if (max > sum->max)
		sum->max = max;
}

/* Calls that are in the ring alone. */
static void add_waiting(struct work *work, struct sum *sum, const struct hp_stat *stat,
			uint64_t flushed, uint64_t calls)
{
	for (uint64_t i = flushed; i < calls && i - flushed < HP_RING; i++) {
		uint64_t packed = load(&stat->durations[i % HP_RING], RELAXED);
		uint64_t duration = packed & HP_CALL_DURATION;

		*(packed & HP_CALL_NESTED ? &sum->nested : &sum->total) += duration;
		sum->self += load(&stat->selves[i % HP_RING], RELAXED);
		stretch(sum, duration, duration);
		work->buckets[hp_bucket(duration)]++;
	}
}

/* The caller is open around everything that its thread does. */
static void add_samples(struct sum *sum, const struct entry *entry, bool is_caller)
{
	const struct hp_stat *stat = entry->stat;
	uint64_t inclusive = load(&stat->inclusive_samples, RELAXED);

	sum->samples += load(&stat->samples, RELAXED);
	sum->alloc_ticks += load(&stat->alloc_ticks, RELAXED);
	if (is_caller) {
		sum->samples += load(&entry->lane->outside_samples, RELAXED);
		sum->alloc_ticks += load(&entry->lane->outside_alloc_ticks, RELAXED);
		inclusive = load(&entry->lane->samples, RELAXED);
	}
	sum->inclusive_samples += inclusive;
}

static void add_stat(struct work *work, struct sum *sum, const struct entry *entry, bool is_caller)
{
	const struct hp_stat *stat = entry->stat;
	uint64_t calls = load(&stat->calls, RELAXED);
	/* Pairs with the RELEASE of flushing: what is not in the figures is in the ring. */
	uint64_t flushed = load(&stat->flushed, ACQUIRE);

	sum->calls += calls;
	sum->total += load(&stat->total, RELAXED);
	sum->so_far += in_progress(work->snapshot, stat, is_caller);
	sum->self += load(&stat->self, RELAXED);
	sum->nested += load(&stat->nested, RELAXED);
	sum->open += (uint64_t)load(&stat->open, RELAXED) + load(&stat->depth, RELAXED);
	stretch(sum, load(&stat->min, RELAXED), load(&stat->max, RELAXED));
	add_buckets(work, stat);
	add_waiting(work, sum, stat, flushed, calls);
	add_samples(sum, entry, is_caller);
	hp_alloc_sum_add(&work->alloc, work->snapshot, entry->lane, stat);
}

static uint64_t middle_ns(const void *snapshot, unsigned bucket)
{
	return hp_snapshot_ns(snapshot, hp_bucket_middle(bucket));
}

static bool name_by_address(const struct hp_snapshot *snapshot, const struct hp_name *name,
			    struct hp_function *function)
{
	const struct hp_module *module = hp_check_module(snapshot->bytes, name->module);

	function->name = strdup(name->text);
	function->module = module ? hp_snapshot_string(snapshot, module->path) : NULL;
	function->offset = name->address;
	function->has_symbol = name->has_symbol;
	function->kind = HP_SITE_FUNCTION;
	return function->name != NULL;
}

static bool name_function(const struct work *work, uint32_t id, const struct hp_site *site,
			  struct hp_function *function)
{
	const struct hp_snapshot *snapshot = work->snapshot;
	const struct hp_name *name = hp_names_find(&work->names, id);

	if (name)
		return name_by_address(snapshot, name, function);
	function->name = hp_snapshot_string(snapshot, site->name);
	if (!function->name)
		function->name = strdup("?");
	function->file = hp_snapshot_string(snapshot, site->file);
	function->line = site->line;
	function->kind = (enum hp_site_kind)site->kind;
	return function->name != NULL;
}

/* Averages are taken off each call for the profiler's cost: the sum may be a little off both ways. */
static uint64_t exclusive(const struct sum *sum)
{
	if ((int64_t)sum->self < 0)
		return 0;
	return sum->self < sum->total ? sum->self : sum->total;
}

static void set_figures(const struct hp_snapshot *snapshot, const struct sum *sum,
			struct hp_function *function)
{
	function->calls = sum->calls;
	function->open = (int64_t)sum->open > 0 ? sum->open : 0;
	function->total_ns = hp_snapshot_ns(snapshot, sum->total + sum->so_far);
	function->self_ns = hp_snapshot_ns(snapshot, exclusive(sum));
	function->sum_ns = hp_snapshot_ns(snapshot, sum->total + sum->nested);
	if (sum->calls) {
		function->min_ns = hp_snapshot_ns(snapshot, sum->min);
		function->max_ns = hp_snapshot_ns(snapshot, sum->max);
	}
	function->cpu = (struct hp_cpu_figures){ sum->samples, sum->inclusive_samples,
						 hp_snapshot_ns(snapshot, sum->alloc_ticks) };
}

static bool add_function(struct work *work, uint32_t id)
{
	const struct hp_site *site = hp_check_site(work->snapshot->bytes, id);
	bool is_caller = load(&work->snapshot->header->caller, RELAXED) == id;
	struct sum sum = { .min = UINT64_MAX };

	if (!site || !is_function(site) || !work->sites[id])
		return true;
	memset(work->buckets, 0, sizeof(work->buckets));
	for (uint32_t at = work->sites[id]; at; at = work->entries[at - 1].next)
		add_stat(work, &sum, &work->entries[at - 1], is_caller);
	if (!sum.calls && (int64_t)sum.open <= 0 && !sum.samples && !work->alloc.has_any)
		return true;
	struct hp_function *function = &work->model->functions[work->model->function_count++];
	work->rows[id] = (uint32_t)work->model->function_count;
	function->id = id;
	function->is_caller = is_caller;
	set_figures(work->snapshot, &sum, function);
	return name_function(work, id, site, function) &&
	       hp_points_make(&function->times, work->buckets, middle_ns, work->snapshot) &&
	       hp_alloc_sum_take(&work->alloc, &function->alloc);
}

static bool add_functions(struct work *work)
{
	work->site_count = work->snapshot->site_count;
	work->sites = calloc((size_t)work->site_count + 1, sizeof(*work->sites));
	work->rows = calloc((size_t)work->site_count + 1, sizeof(*work->rows));
	work->model->functions = calloc((size_t)work->site_count + 1, sizeof(struct hp_function));
	if (!work->sites || !work->rows || !work->model->functions)
		return false;
	if (!hp_snapshot_each_stat(work->snapshot, collect, work))
		return false;
	for (uint32_t id = 1; id <= work->site_count; id++)
		if (!add_function(work, id))
			return false;
	return true;
}

/* What the lanes say of themselves: what was dropped, and what the recorder took beside the calls. */
static void add_lanes(const struct hp_snapshot *snapshot, struct hp_model *model)
{
	struct hp_lanes lanes = hp_snapshot_lanes(snapshot);

	for (unsigned i = 0; i < HP_COUNTERS; i++)
		model->dropped[i] = load(&snapshot->header->counters[i], RELAXED);
	for (const struct hp_lane *lane; (lane = hp_lanes_next(&lanes));) {
		for (unsigned i = 0; i < HP_COUNTERS; i++)
			model->dropped[i] += load(&lane->counters[i], RELAXED);
		model->estimated_ns += hp_snapshot_ns(snapshot, load(&lane->slow, RELAXED));
	}
}

static void set_cost(const struct hp_snapshot *snapshot, struct hp_model *model)
{
	uint64_t calls = 0;

	for (size_t i = 0; i < model->function_count; i++)
		calls += model->functions[i].calls;
	model->span_ns = (double)snapshot->header->span_cost / 256 * 1e9 /
			 (double)snapshot->ticks_per_second;
	model->estimated_ns = hp_snapshot_cost_ns(snapshot, calls);
}

/* How long the program ran, without the profiler's time on its busiest thread: as functions are told. */
static uint64_t process_ns(const struct work *work)
{
	const struct hp_snapshot *snapshot = work->snapshot;
	uint64_t start = load(&snapshot->header->start.ticks, RELAXED);
	uint64_t whole = snapshot->now > start ? hp_snapshot_ns(snapshot, snapshot->now - start)
					       : 0;
	uint64_t slow = work->busiest ? load(&work->busiest->slow, RELAXED) : 0;
	uint64_t cost = hp_snapshot_cost_ns(snapshot, work->most_calls) +
			hp_snapshot_ns(snapshot, slow);

	return whole > cost ? whole - cost : 0;
}

/* The time that is 100 %: the caller's, or the program's when it has none. */
static bool set_caller(const struct work *work, struct hp_model *model)
{
	const char *name = model->program;

	model->elapsed_ns = process_ns(work);
	for (size_t i = 0; i < model->function_count; i++) {
		const struct hp_function *function = &model->functions[i];
		if (function->is_caller) {
			name = function->name;
			model->elapsed_ns = function->total_ns;
		}
	}
	model->caller = strdup(name);
	return model->caller != NULL;
}

static void set_exit(const struct hp_header *header, const struct hp_exit *known,
		     struct hp_exit *exit)
{
	uint32_t status = load(&header->exit_status, RELAXED);

	exit->clean = load(&header->state, ACQUIRE) == HP_STATE_EXITED;
	exit->status = status >= 1 && status <= 256 ? (int)status - 1 : -1;
	if (known)
		*exit = *known;
}

static bool describe(const struct hp_snapshot *snapshot, struct hp_model *model)
{
	model->program = hp_snapshot_string(snapshot, snapshot->header->program);
	if (!model->program)
		model->program = strdup("?");
	model->arguments = hp_snapshot_string(snapshot, snapshot->header->arguments);
	if (!model->arguments)
		model->arguments = strdup("");
	model->pid = snapshot->header->pid;
	model->processes = 1;
	model->start_unix_ns = snapshot->header->start_unix_ns;
	return model->program && model->arguments;
}

static bool build(struct work *work)
{
	const struct hp_snapshot *snapshot = work->snapshot;

	if (!describe(snapshot, work->model) ||
	    !hp_names_read(&work->names, snapshot, work->model) ||
	    !hp_patterns_check(snapshot, work->model) || !add_functions(work))
		return false;
	/* Both calls of a function that is measured twice have a cost, so before they are joined. */
	set_cost(snapshot, work->model);
	hp_twins_join(work->model, snapshot, &work->names, work->rows);
	if (work->with_tree && !hp_tree_read(snapshot, work->rows, work->model))
		return false;
	add_lanes(snapshot, work->model);
	return set_caller(work, work->model) &&
	       hp_samples_read(snapshot, work->rows, work->model) &&
	       hp_allocations_read(snapshot, &work->names, work->rows, work->model) &&
	       hp_tenants_read(snapshot, work->model);
}

struct hp_model *hp_model_read(const void *bytes, size_t size, const struct hp_exit *exit,
			       bool with_tree, struct hp_error *error)
{
	struct hp_snapshot snapshot;
	const char *problem = hp_snapshot_open(&snapshot, bytes, size, exit && exit->running);
	struct work *work = problem ? NULL : calloc(1, sizeof(*work));
	struct hp_model *model = work ? calloc(1, sizeof(*model)) : NULL;

	if (model) {
		*work = (struct work){ .snapshot = &snapshot,
				       .model = model,
				       .with_tree = with_tree || snapshot.header->cpu_source };
		set_exit(snapshot.header, exit, &model->exit);
		if (!build(work)) {
			hp_model_free(model);
			model = NULL;
		}
		hp_names_free(&work->names);
		free(work->sites);
		free(work->rows);
		free(work->entries);
	}
	free(work);
	if (!model)
		snprintf(error->text, sizeof(error->text), "%s",
			 problem ? problem : "out of memory");
	return model;
}
