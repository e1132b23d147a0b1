/* SPDX-License-Identifier: MIT */
/*
 * Adds up the stats of every lane to one row per function.
 *
 * The stats are first sorted into lists by their site; then those of some sites are added up, and of the next ones,
 * so that a few histograms of full size are enough.
 */
#include "build.h"

#include "arithmetic.h"
#include "atomic.h"
#include "calls/branches.h"
#include "calls/lane_tree.h"
#include "calls/twins.h"
#include "cpu/samples.h"
#include "flow/read_entries.h"
#include "kind.h"
#include "memory/allocations.h"
#include "names/patterns.h"
#include "process/blocked.h"
#include "process/tenants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Whether a site becomes a row of functions: not internal sites of the recorder, calls of malloc, or channels and the
 * like.
 */
static bool is_function(const struct hp_site *site)
{
	return site->kind != HP_SITE_CALIBRATION && site->kind != HP_SITE_CALL &&
	       !hp_kind_of_site((enum hp_site_kind)site->kind);
}

static void place_by_address(const struct hp_snapshot *snapshot, const struct hp_name *name,
			     struct hp_function *function)
{
	const struct hp_module *module = hp_check_module(snapshot->bytes, name->module);

	function->module = module ? hp_snapshot_string(snapshot, module->path) : NULL;
	function->offset = name->address;
	function->has_symbol = name->has_symbol;
	function->kind = HP_SITE_FUNCTION;
}

static bool name_function(const struct hp_build *build, uint32_t id, const struct hp_site *site,
			  struct hp_function *function)
{
	const struct hp_snapshot *snapshot = build->snapshot;
	const struct hp_name *name = hp_names_find(build->names, id);

	function->name = hp_names_label(build->names, snapshot, id);
	if (name && site->kind == HP_SITE_ADDRESS) {
		place_by_address(snapshot, name, function);
		return function->name != NULL;
	}
	function->file = hp_snapshot_string(snapshot, site->file);
	function->line = site->line;
	function->kind = (enum hp_site_kind)site->kind;
	return function->name != NULL;
}

static enum hp_measured measured(const struct hp_site *site)
{
	uint32_t unmeasured = load(&site->unmeasured, RELAXED);

	if (unmeasured & HP_UNMEASURED_OFF)
		return HP_MEASURED_PARTLY;
	return unmeasured & HP_UNMEASURED_COUNTED ? HP_MEASURED_COUNTED : HP_MEASURED_TIMED;
}

static bool is_caller(const struct hp_build *build, uint32_t id)
{
	return load(&build->snapshot->header->caller, RELAXED) == id;
}

/* The site of a function that was called; NULL if it is none. */
static const struct hp_site *called_site(const struct hp_build *build, uint32_t id)
{
	const struct hp_site *site = hp_check_site(build->snapshot->bytes, id);

	return site && is_function(site) && hp_stat_index_site(build->index, id).first ? site
										       : NULL;
}

static bool take_sum(struct hp_build *build, uint32_t id, struct hp_stat_sum *sum,
		     struct hp_function *function)
{
	const struct hp_site *site = called_site(build, id);

	if (!site || !hp_stat_sum_has_any(sum))
		return true;
	function->id = id;
	function->measured = measured(site);
	function->is_caller = is_caller(build, id);
	return hp_stat_sum_take(sum, build->snapshot, function) &&
	       name_function(build, id, site, function);
}

static struct hp_stat_wish wish_of(const struct hp_build *build, uint32_t id)
{
	return build->gather ? build->wish(build->context, id)
			     : (struct hp_stat_wish){ .without_histograms = false };
}

bool hp_build_functions(struct hp_build *build, const uint32_t *ids, size_t count,
			struct hp_function *rows)
{
	struct hp_stat_batch *batch = &build->batch;
	uint32_t caller = UINT32_MAX;
	bool done = hp_stat_batch_begin(batch, count);

	batch->gather = build->gather;
	for (uint32_t i = 0; done && i < count; i++) {
		caller = is_caller(build, ids[i]) ? i : caller;
		done = hp_stat_batch_want(batch, build->index,
					  called_site(build, ids[i]) ? ids[i] : 0,
					  wish_of(build, ids[i]));
	}
	if (done)
		hp_stat_batch_add_up(batch, build->index, build->snapshot, caller);
	for (uint32_t i = 0; done && i < count; i++) {
		done = take_sum(build, ids[i], &batch->sums[i], &rows[i]);
		hp_stat_sum_end(&batch->sums[i]);
	}
	return done;
}

/* The profiler's cost for the threads of a lane, beside their measured calls. */
static uint64_t besides_ns(const struct hp_snapshot *snapshot, const struct hp_lane *lane)
{
	uint64_t ticks = load(&lane->slow, RELAXED) + load(&lane->look_ticks, RELAXED);

	return hp_snapshot_ns(snapshot, ticks) + hp_snapshot_probe_ns(snapshot, lane);
}

/* Add the counters of each lane: what was dropped, and what the recorder cost besides measured calls. */
static void add_lanes(const struct hp_snapshot *snapshot, struct hp_model *model)
{
	struct hp_lanes lanes = hp_snapshot_lanes(snapshot);

	model->estimated_ns += load(&snapshot->header->setup_ns, RELAXED);
	for (unsigned i = 0; i < HP_COUNTERS; i++)
		model->dropped[i] = load(&snapshot->header->counters[i], RELAXED);
	for (const struct hp_lane *lane; (lane = hp_lanes_next(&lanes));) {
		for (unsigned i = 0; i < HP_COUNTERS; i++)
			model->dropped[i] += load(&lane->counters[i], RELAXED);
		model->estimated_ns += besides_ns(snapshot, lane);
	}
}

/*
 * The cost of measuring a lane's calls: known for those that were flushed; the others are taken for average ones. What it takes to
 * time a call is an estimate, as the program does its own work meanwhile; but it is not more than the time that has passed.
 */
static uint64_t lane_cost_ns(const struct hp_snapshot *snapshot, const struct hp_stat_lane *entry)
{
	const struct hp_lane *lane = hp_check_lane(snapshot->bytes, entry->at);
	if (!lane)
		return hp_snapshot_cost_ns(snapshot, entry->calls);

	uint64_t others = hp_minus(entry->calls, load(&lane->cost_calls, RELAXED));
	uint64_t cost = hp_snapshot_ns(snapshot, load(&lane->cost, RELAXED)) +
			hp_snapshot_cost_ns(snapshot, others);
	return hp_min(cost,
		      hp_minus(hp_snapshot_lived_ns(snapshot, lane), besides_ns(snapshot, lane)));
}

static void set_cost(const struct hp_build *build, struct hp_model *model)
{
	const struct hp_snapshot *snapshot = build->snapshot;
	uint64_t calls = 0, cost_ns = 0;

	for (size_t i = 0; i < build->index->lane_count; i++) {
		calls += build->index->lanes[i].calls;
		cost_ns += lane_cost_ns(snapshot, &build->index->lanes[i]);
	}
	model->estimated_ns += cost_ns;
	model->span_ns = calls ? (double)cost_ns / (double)calls
			       : (double)snapshot->header->span_cost / 256 * 1e9 /
					 (double)snapshot->ticks_per_second;
}

static uint64_t process_ns(const struct hp_snapshot *snapshot)
{
	uint64_t start = load(&snapshot->header->start.ticks, RELAXED);

	return snapshot->now > start ? hp_snapshot_ns(snapshot, snapshot->now - start) : 0;
}

/* The highest besides_ns of a lane: if nothing was measured, that is the busiest lane. */
static uint64_t most_besides_ns(const struct hp_snapshot *snapshot)
{
	struct hp_lanes lanes = hp_snapshot_lanes(snapshot);
	uint64_t most = 0;

	for (const struct hp_lane *lane; (lane = hp_lanes_next(&lanes));) {
		uint64_t besides = besides_ns(snapshot, lane);
		most = hp_max(most, besides);
	}
	return most;
}

/* The profiler's cost on the thread with the most measured calls. */
static uint64_t busiest_cost_ns(const struct hp_build *build)
{
	const struct hp_snapshot *snapshot = build->snapshot;
	const struct hp_stat_lane *busiest = hp_stat_index_busiest(build->index);
	const struct hp_lane *lane = busiest ? hp_check_lane(snapshot->bytes, busiest->at) : NULL;

	return lane ? lane_cost_ns(snapshot, busiest) + besides_ns(snapshot, lane)
		    : most_besides_ns(snapshot);
}

/*
 * Set the time that is 100 %: that of the caller or, without one, of the process. It is wall clock time including the
 * profiler's part, because threads that wait meanwhile wait for that part too.
 */
static bool set_caller(const struct hp_build *build, struct hp_model *model)
{
	const char *name = model->program;

	model->elapsed_ns = process_ns(build->snapshot);
	for (size_t i = 0; i < model->function_count; i++) {
		const struct hp_function *function = &model->functions[i];
		if (function->is_caller) {
			name = function->name;
			model->elapsed_ns = function->total_ns;
		}
	}
	uint64_t cost_ns = busiest_cost_ns(build);
	model->own_elapsed_ns = hp_minus(model->elapsed_ns, cost_ns);
	model->caller = strdup(name);
	return model->caller != NULL;
}

static void set_exit(const struct hp_header *header, const struct hp_exit *known,
		     struct hp_exit *exit)
{
	uint32_t status = load(&header->exit_status, RELAXED);

	uint32_t state = load(&header->state, ACQUIRE);

	exit->clean = state == HP_STATE_EXITED;
	/* A process that `hotpath attach` has left still runs. */
	exit->running = header->attached && state == HP_STATE_STOPPED;
	exit->status = status >= 1 && status <= 256 ? (int)status - 1 : -1;
	if (known)
		*exit = *known;
}

static bool read_metadata(const struct hp_snapshot *snapshot, struct hp_metadata *metadata)
{
	char *text = hp_snapshot_string(snapshot, snapshot->header->user_metadata);
	int error = hp_metadata_parse(metadata, text);

	free(text);
	return !error;
}

static bool describe(const struct hp_snapshot *snapshot, struct hp_model *model)
{
	model->program = hp_snapshot_string(snapshot, snapshot->header->program);
	if (!model->program)
		model->program = strdup("?");
	model->arguments = hp_snapshot_string(snapshot, snapshot->header->arguments);
	if (!model->arguments)
		model->arguments = strdup("");
	/* ACQUIRE: the program may set a new title at any time. */
	model->title = hp_snapshot_string(snapshot, load(&snapshot->header->title, ACQUIRE));
	model->pid = snapshot->header->pid;
	model->is_attached = snapshot->header->attached;
	model->executor = load(&snapshot->header->executor, RELAXED);
	model->processes = 1;
	model->start_unix_ns = snapshot->header->start_unix_ns;
	model->session = load(&snapshot->header->session, RELAXED);
	model->io = (struct hp_io_total){ load(&snapshot->header->io_before, RELAXED) +
						  load(&snapshot->header->io_own_bytes, RELAXED),
					  load(&snapshot->header->io_bytes, RELAXED),
					  load(&snapshot->header->io_has_children, RELAXED) };
	return model->program && model->arguments && read_metadata(snapshot, &model->user_metadata);
}

bool hp_build_begin(struct hp_build *build)
{
	const struct hp_snapshot *snapshot = build->snapshot;

	build->rows = calloc((size_t)snapshot->site_count + 1, sizeof(*build->rows));
	set_exit(snapshot->header, build->exit, &build->model->exit);
	return build->rows && describe(snapshot, build->model);
}

/* Have the mapping given back between what reads much of it. */
static bool rest(const struct hp_build *build)
{
	if (build->with_stacks && build->index->pause)
		build->index->pause(build->index->context);
	return true;
}

static bool read_tree(struct hp_build *build)
{
	return hp_tree_read(build->snapshot, build->index, build->rows, build->model) &&
	       hp_branches_raise_open(build->model) == 0 &&
	       hp_branches_count_inner(build->model) == 0;
}

bool hp_build_complete(struct hp_build *build)
{
	const struct hp_snapshot *snapshot = build->snapshot;
	struct hp_model *model = build->model;

	/* Before twins are joined: both calls of a function that is measured twice have a cost. */
	set_cost(build, model);
	hp_twins_join(model, snapshot, build->names, build->rows);
	if (build->with_tree && !read_tree(build))
		return false;
	add_lanes(snapshot, model);
	return set_caller(build, model) && hp_samples_read(build) && rest(build) &&
	       hp_waits_read(build) && rest(build) && hp_allocations_read(build) && rest(build) &&
	       hp_tenants_read(snapshot, model) && hp_entries_read(build) && hp_blocked_read(build);
}

void hp_build_end(struct hp_build *build)
{
	free(build->rows);
	build->rows = NULL;
	hp_stat_sum_end(&build->sum);
	hp_stat_batch_free(&build->batch);
}

/* Add the rows of sites with ids from `first` on. Even on failure, the rows that were made must be freed with the model. */
static bool add_batch(struct hp_build *build, uint32_t first, uint32_t count)
{
	struct hp_function *rows = calloc(count, sizeof(*rows));
	struct hp_model *model = build->model;
	uint32_t ids[HP_STAT_BATCH_SITES] = { 0 };

	for (uint32_t i = 0; i < count; i++)
		ids[i] = first + i;
	bool done = rows && hp_build_functions(build, ids, count, rows);
	for (uint32_t i = 0; rows && i < count; i++) {
		if (!rows[i].id)
			continue;
		model->functions[model->function_count++] = rows[i];
		build->rows[ids[i]] = (uint32_t)model->function_count;
	}
	free(rows);
	return done;
}

static bool add_functions(struct hp_build *build)
{
	uint32_t sites = build->snapshot->site_count;
	struct hp_model *model = build->model;

	model->functions = calloc((size_t)sites + 1, sizeof(*model->functions));
	if (!model->functions)
		return false;
	for (uint32_t first = 1; first <= sites;) {
		uint32_t count = (uint32_t)hp_min(sites - first + 1, HP_STAT_BATCH_SITES);
		if (!add_batch(build, first, count))
			return false;
		first += count;
	}
	return true;
}

/* The time of calls in progress is known from the tree. */
static bool has_open_calls(const struct hp_model *model)
{
	for (size_t i = 0; i < model->function_count; i++)
		if (model->functions[i].open)
			return true;
	return false;
}

/* To find names may take long: meanwhile a program that runs goes on, and so do the figures that are read in place. */
static void pass_time(struct hp_snapshot *snapshot)
{
	struct hp_snapshot later;

	if (hp_snapshot_open(&later, snapshot->bytes.base, snapshot->bytes.size, true))
		return;
	hp_snapshot_set_rate(&later, snapshot->ticks_per_second);
	snapshot->now = hp_max(snapshot->now, later.now);
}

static bool read_all(struct hp_build *build, struct hp_names *names, struct hp_snapshot *snapshot,
		     const struct hp_mapped_read *how)
{
	bool done = hp_build_begin(build) && hp_names_read(names, snapshot, build->model) &&
		    hp_patterns_check(snapshot, build->model);

	if (build->index->pause && build->exit && build->exit->running)
		pass_time(snapshot);
	if (how->moment)
		how->moment(how->taker);
	if (!done || !hp_stat_index_update(build->index, snapshot))
		return false;
	hp_stat_index_hear(build->index, snapshot);
	if (!add_functions(build))
		return false;
	build->with_tree |= has_open_calls(build->model);
	return hp_build_complete(build);
}

/* Without a model when memory ran out. */
static void read_model(struct hp_build *build, struct hp_snapshot *snapshot,
		       const struct hp_mapped_read *how)
{
	struct hp_names names = { .items = NULL };

	build->snapshot = snapshot;
	build->names = &names;
	build->with_stacks = true;
	build->model = calloc(1, sizeof(*build->model));
	if (build->model && !read_all(build, &names, snapshot, how)) {
		hp_model_free(build->model);
		build->model = NULL;
	}
	hp_build_end(build);
	hp_names_free(&names);
	hp_stat_index_free(build->index);
}

static struct hp_model *read_segment(const void *bytes, size_t size, const struct hp_exit *exit,
				     bool with_tree, const struct hp_mapped_read *how,
				     struct hp_error *error)
{
	struct hp_stat_index index = { .pause = how->pause, .context = how->context };
	struct hp_snapshot snapshot;
	const char *problem = hp_snapshot_open(&snapshot, bytes, size, exit && exit->running);
	struct hp_build *build = problem ? NULL : calloc(1, sizeof(*build));
	struct hp_model *model = NULL;

	if (build) {
		hp_snapshot_set_rate(&snapshot, how->ticks_per_second);
		build->exit = exit;
		build->index = &index;
		build->with_tree = with_tree || snapshot.header->cpu_source;
		read_model(build, &snapshot, how);
		model = build->model;
	}
	free(build);
	if (!model)
		snprintf(error->text, sizeof(error->text), "%s",
			 problem ? problem : "out of memory");
	return model;
}

struct hp_model *hp_model_read(const void *bytes, size_t size, const struct hp_exit *exit,
			       bool with_tree, struct hp_error *error)
{
	const struct hp_mapped_read how = { .pause = NULL };

	return read_segment(bytes, size, exit, with_tree, &how, error);
}

struct hp_model *hp_model_read_mapped(const void *bytes, size_t size, const struct hp_exit *exit,
				      const struct hp_mapped_read *how, struct hp_error *error)
{
	return read_segment(bytes, size, exit, true, how, error);
}
