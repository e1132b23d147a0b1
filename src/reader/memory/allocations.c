/* SPDX-License-Identifier: MIT */
/*
 * Allocations that do not belong to a single function: totals, and what was allocated outside of measured functions.
 */
#include "allocations.h"

#include "arithmetic.h"
#include "atomic.h"
#include "origins.h"

#include <stdlib.h>
#include <string.h>

struct work {
	const struct hp_snapshot *snapshot;
	struct hp_model *model;
	/* Allocations outside of measured functions, over all lanes. */
	struct hp_alloc_figures outside;
};

static void add_outside(struct work *work, const struct hp_lane *lane)
{
	struct hp_alloc_figures *outside = &work->outside;
	/* Pairs with the RELEASE that published the alloc. */
	uint64_t at = load(&lane->outside, ACQUIRE);
	const struct hp_alloc *alloc = hp_check_alloc(work->snapshot->bytes, at);

	if (!alloc)
		return;
	struct hp_own own = hp_alloc_own(lane, at, alloc);
	outside->bytes += own.bytes;
	outside->count += own.blocks;
	outside->freed_bytes += load(&alloc->freed_bytes, RELAXED);
	outside->freed_count += load(&alloc->freed_blocks, RELAXED);
	outside->temporary_count += load(&alloc->temporary_blocks, RELAXED);
}

static void add_lanes(struct work *work)
{
	struct hp_lanes lanes = hp_snapshot_lanes(work->snapshot);
	struct hp_memory *memory = &work->model->memory;

	for (const struct hp_lane *lane; (lane = hp_lanes_next(&lanes));) {
		add_outside(work, lane);
		memory->bytes += load(&lane->bytes, RELAXED);
		memory->count += load(&lane->blocks, RELAXED);
	}
	memory->freed_count = work->outside.freed_count;
	for (size_t i = 0; i < work->model->function_count; i++)
		memory->freed_count += work->model->functions[i].alloc.freed_count;
}

static struct hp_function *find_caller(struct hp_model *model)
{
	for (size_t i = 0; i < model->function_count; i++)
		if (model->functions[i].is_caller)
			return &model->functions[i];
	return NULL;
}

/* Add a row for the whole process, which includes all allocations. */
static bool add_process(struct work *work)
{
	struct hp_model *model = work->model;
	struct hp_function *functions = reallocarray(model->functions, model->function_count + 1,
						     sizeof(*functions));
	if (!functions)
		return false;
	model->functions = functions;
	functions[model->function_count++] = (struct hp_function){
		.name = strdup(model->caller),
		.kind = HP_SITE_MAIN,
		.is_caller = true,
		.alloc = work->outside,
	};
	struct hp_alloc_figures *alloc = &functions[model->function_count - 1].alloc;
	alloc->inclusive_bytes = model->memory.bytes;
	alloc->inclusive_count = model->memory.count;
	return functions[model->function_count - 1].name != NULL;
}

/* The caller has no frame that records its allocations per call: each of its calls, usually one, gets the average. */
static bool add_calls(struct hp_function *caller)
{
	struct hp_alloc_figures *alloc = &caller->alloc;
	const uint64_t totals[HP_ALLOC_HISTOGRAMS] = {
		[HP_ALLOC_BYTES] = alloc->bytes,
		[HP_ALLOC_BLOCKS] = alloc->count,
		[HP_ALLOC_INCLUSIVE_BYTES] = alloc->inclusive_bytes,
		[HP_ALLOC_INCLUSIVE_BLOCKS] = alloc->inclusive_count,
	};

	for (unsigned i = 0; caller->calls && i < HP_ALLOC_HISTOGRAMS; i++) {
		struct hp_point point = { totals[i] / caller->calls, caller->calls };
		if (!alloc->calls[i].count &&
		    hp_points_merge(&alloc->calls[i], &(struct hp_points){ &point, 1 }))
			return false;
	}
	return true;
}

/* Allocations outside of measured functions count as the caller's own; all others as inside it. */
static bool place_outside(struct work *work)
{
	const struct hp_memory *memory = &work->model->memory;
	struct hp_function *caller = find_caller(work->model);

	if (!caller)
		return add_process(work);
	if (hp_alloc_figures_merge(caller, &(struct hp_function){ .alloc = work->outside }))
		return false;
	caller->alloc.inclusive_bytes = memory->bytes;
	caller->alloc.inclusive_count = memory->count;
	return add_calls(caller);
}

/* Add what no origin has, which is blocks that could not be tracked, to item 0, the call sites without an origin. */
static void complete(struct hp_origins *origins, const struct hp_memory *memory)
{
	uint64_t bytes = 0, blocks = 0;

	for (size_t i = 0; i < origins->count; i++) {
		bytes += origins->items[i].bytes;
		blocks += origins->items[i].blocks;
	}
	origins->items[0].bytes += hp_minus(memory->bytes, bytes);
	origins->items[0].blocks += hp_minus(memory->count, blocks);
}

/* The frames of stacks have names of their own, which rows are made of. */
static bool make_rows(struct work *work, const struct hp_build *build, struct hp_origins *origins,
		      struct hp_stacks *stacks, bool as_functions)
{
	if (build->with_stacks && !hp_origins_stacks(origins, build, stacks))
		return false;
	hp_origins_calls(origins, build->names);
	if (!hp_origins_live(origins, work->snapshot, build->rows, work->model))
		return false;
	if (!as_functions)
		return true;
	complete(origins, &work->model->memory);
	return hp_origins_functions(origins, work->snapshot, work->model);
}

static bool read_origins(struct work *work, const struct hp_build *build, bool as_functions)
{
	struct hp_memory *memory = &work->model->memory;
	struct hp_stacks *stacks = calloc(1, sizeof(*stacks));
	struct hp_origins origins = { NULL, 0 };
	bool done = stacks && hp_origins_read(&origins, work->snapshot) &&
		    make_rows(work, build, &origins, stacks, as_functions);

	if (stacks)
		hp_stacks_free(stacks);
	free(stacks);
	free(origins.items);
	uint64_t peak = load(&work->snapshot->header->peak_bytes, RELAXED);
	memory->peak_bytes = hp_max(peak, memory->live_bytes);
	return done;
}

bool hp_allocations_read(const struct hp_build *build)
{
	struct hp_model *model = build->model;
	struct work work = { .snapshot = build->snapshot, .model = model };
	uint32_t mode = load(&build->snapshot->header->alloc_mode, RELAXED);

	if (mode == HP_ALLOC_NONE || mode > HP_ALLOC_LIVE)
		return true;
	model->memory.mode = (enum hp_alloc_mode)mode;
	bool as_functions = mode == HP_ALLOC_LIVE && !hp_model_has_calls(model);
	add_lanes(&work);
	if (!as_functions && !place_outside(&work))
		return false;
	return mode != HP_ALLOC_LIVE || read_origins(&work, build, as_functions);
}
