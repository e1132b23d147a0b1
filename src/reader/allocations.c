/* SPDX-License-Identifier: MIT */
/* What is not of one function: totals, threads, and what was allocated outside of functions. */
#include "allocations.h"

#include "atomic.h"
#include "origins.h"

#include <stdlib.h>
#include <string.h>

struct work {
	const struct hp_snapshot *snapshot;
	struct hp_model *model;
	/* Of all lanes. */
	struct hp_alloc_figures outside;
	/* What the lane at hand allocated, as the allocator rounds it, and what it freed. */
	uint64_t rounded_bytes;
	uint64_t freed_bytes;
	uint64_t stats_left;
};

static void add_alloc(struct work *work, const struct hp_alloc *alloc)
{
	work->rounded_bytes += load(&alloc->rounded_bytes, RELAXED);
	work->freed_bytes += load(&alloc->freed_bytes, RELAXED);
	work->model->memory.freed_count += load(&alloc->freed_blocks, RELAXED);
}

static void add_outside(struct work *work, const struct hp_lane *lane)
{
	struct hp_alloc_figures *outside = &work->outside;
	/* Pairs with the RELEASE that published the alloc. */
	uint64_t at = load(&lane->outside, ACQUIRE);
	const struct hp_alloc *alloc = hp_check_alloc(work->snapshot->bytes, at);

	if (!alloc)
		return;
	struct hp_own own = hp_alloc_own(lane, at, alloc);
	add_alloc(work, alloc);
	outside->bytes += own.bytes;
	outside->count += own.blocks;
	outside->freed_bytes += load(&alloc->freed_bytes, RELAXED);
	outside->freed_count += load(&alloc->freed_blocks, RELAXED);
	outside->temporary_count += load(&alloc->temporary_blocks, RELAXED);
}

static void add_stats(struct work *work, const struct hp_lane *lane)
{
	struct hp_bytes bytes = work->snapshot->bytes;
	/* Pairs with the RELEASE that published the stat. */
	const struct hp_stat *stat = hp_check_stat(bytes, load(&lane->stats, ACQUIRE));

	for (; stat && work->stats_left; work->stats_left--) {
		/* Pairs with the RELEASE that published the alloc. */
		const struct hp_alloc *alloc = hp_check_alloc(bytes, load(&stat->alloc, ACQUIRE));
		if (alloc)
			add_alloc(work, alloc);
		stat = hp_check_stat(bytes, stat->next);
	}
}

/* The last byte is never written. */
static char *name_of(const struct hp_lane *lane)
{
	char name[HP_NAME_MAX] = "";

	for (size_t i = 0; i < sizeof(name) - 1; i++)
		name[i] = load(&lane->name[i], RELAXED);
	return strdup(name);
}

static bool add_thread(struct work *work, const struct hp_lane *lane)
{
	struct hp_memory *memory = &work->model->memory;
	struct hp_thread *threads = reallocarray(memory->threads, memory->thread_count + 1,
						 sizeof(*threads));
	if (!threads)
		return false;
	memory->threads = threads;
	struct hp_thread *thread = &threads[memory->thread_count++];
	*thread = (struct hp_thread){ .name = name_of(lane),
				      .tid = load(&lane->tid, RELAXED),
				      .threads = load(&lane->generation, RELAXED),
				      .allocated_bytes = load(&lane->bytes, RELAXED),
				      .freed_bytes = work->freed_bytes };
	if (memory->mode == HP_ALLOC_FREED)
		thread->allocated_bytes = work->rounded_bytes;
	memory->allocated_bytes += thread->allocated_bytes;
	memory->freed_bytes += thread->freed_bytes;
	return thread->name != NULL;
}

static bool add_lane(struct work *work, const struct hp_lane *lane)
{
	work->rounded_bytes = work->freed_bytes = 0;
	add_outside(work, lane);
	add_stats(work, lane);
	work->model->memory.bytes += load(&lane->bytes, RELAXED);
	work->model->memory.count += load(&lane->blocks, RELAXED);
	return add_thread(work, lane);
}

static bool add_lanes(struct work *work)
{
	struct hp_lanes lanes = hp_snapshot_lanes(work->snapshot);

	work->stats_left = hp_check_most(work->snapshot->bytes, sizeof(struct hp_stat));
	for (const struct hp_lane *lane; (lane = hp_lanes_next(&lanes));)
		if (!add_lane(work, lane))
			return false;
	return true;
}

static int by_tid(const void *left, const void *right)
{
	const struct hp_thread *a = left, *b = right;

	return (a->tid > b->tid) - (a->tid < b->tid);
}

/* A thread whose signal handlers interrupted the recorder has two lanes. */
static void join_threads(struct hp_memory *memory)
{
	size_t kept = 0;

	if (memory->thread_count)
		qsort(memory->threads, memory->thread_count, sizeof(*memory->threads), by_tid);
	for (size_t i = 0; i < memory->thread_count; i++) {
		struct hp_thread *thread = &memory->threads[i];
		struct hp_thread *last = kept ? &memory->threads[kept - 1] : NULL;
		if (!last || !thread->tid || last->tid != thread->tid) {
			memory->threads[kept++] = *thread;
			continue;
		}
		last->allocated_bytes += thread->allocated_bytes;
		last->freed_bytes += thread->freed_bytes;
		if (last->threads < thread->threads)
			last->threads = thread->threads;
		free(thread->name);
	}
	memory->thread_count = kept;
}

static struct hp_function *find_caller(struct hp_model *model)
{
	for (size_t i = 0; i < model->function_count; i++)
		if (model->functions[i].is_caller)
			return &model->functions[i];
	return NULL;
}

/* A row for the whole process, in which everything is. */
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

/* The caller has no frame that would have counted its calls, as a rule of one. */
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

/* What is outside of functions is the caller's, and everything is inside it. */
static bool place_outside(struct work *work)
{
	const struct hp_memory *memory = &work->model->memory;
	struct hp_function *caller = find_caller(work->model);

	if (!caller)
		return add_process(work);
	if (hp_alloc_figures_merge(&caller->alloc, &work->outside))
		return false;
	caller->alloc.inclusive_bytes = memory->bytes;
	caller->alloc.inclusive_count = memory->count;
	return add_calls(caller);
}

/* Blocks that could not be followed have no place. */
static void complete(struct hp_origins *origins, const struct hp_memory *memory)
{
	uint64_t bytes = 0, blocks = 0;

	for (size_t i = 0; i < origins->count; i++) {
		bytes += origins->items[i].bytes;
		blocks += origins->items[i].blocks;
	}
	origins->items[0].bytes += memory->bytes > bytes ? memory->bytes - bytes : 0;
	origins->items[0].blocks += memory->count > blocks ? memory->count - blocks : 0;
}

static bool read_origins(struct work *work, const struct hp_names *names, const uint32_t *rows,
			 bool as_functions)
{
	struct hp_memory *memory = &work->model->memory;
	struct hp_origins origins;
	bool done = hp_origins_read(&origins, work->snapshot) &&
		    hp_origins_live(&origins, work->snapshot, names, rows, work->model);

	if (done && as_functions) {
		complete(&origins, memory);
		done = hp_origins_functions(&origins, work->snapshot, names, work->model);
	}
	free(origins.items);
	uint64_t peak = load(&work->snapshot->header->peak_bytes, RELAXED);
	memory->peak_bytes = peak > memory->live_bytes ? peak : memory->live_bytes;
	return done;
}

bool hp_allocations_read(const struct hp_snapshot *snapshot, const struct hp_names *names,
			 const uint32_t *rows, struct hp_model *model)
{
	struct work work = { .snapshot = snapshot, .model = model };
	uint32_t mode = load(&snapshot->header->alloc_mode, RELAXED);

	if (mode == HP_ALLOC_NONE || mode > HP_ALLOC_LIVE)
		return true;
	model->memory.mode = (enum hp_alloc_mode)mode;
	model->memory.rss_bytes = load(&snapshot->header->rss_bytes, RELAXED);
	model->memory.peak_rss_bytes = load(&snapshot->header->peak_rss_bytes, RELAXED);
	bool as_functions = mode == HP_ALLOC_LIVE && !hp_model_has_calls(model);
	if (!add_lanes(&work) || (!as_functions && !place_outside(&work)))
		return false;
	join_threads(&model->memory);
	return mode != HP_ALLOC_LIVE || read_origins(&work, names, rows, as_functions);
}
