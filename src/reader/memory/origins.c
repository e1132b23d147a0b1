/* SPDX-License-Identifier: MIT */
/*
 * Where blocks were allocated, over all lanes: the stacks of allocations, and rows of functions and of live blocks.
 *
 * A block may be freed by another thread than the one that allocated it. So a lane's balance for an origin may be
 * negative; only the sum over all lanes is what is still allocated.
 */
#include "origins.h"

#include "arithmetic.h"
#include "atomic.h"
#include "calls/function_index.h"
#include "file_name.h"
#include "libc_own.h"
#include "responsible.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Name of the row for call sites that were not recorded separately. */
static const char others[] = "<other call sites>";

static void find_origins(struct hp_origins *origins, const struct hp_snapshot *snapshot)
{
	uint64_t left = hp_check_most(snapshot->bytes, sizeof(struct hp_origin));
	/* Pairs with the RELEASE that published the origin. */
	const struct hp_origin *origin = hp_check_origin(snapshot->bytes,
							 load(&snapshot->header->origins, ACQUIRE));

	for (; origin && left; left--, origin = hp_check_origin(snapshot->bytes, origin->next)) {
		uint32_t id = load(&origin->id, RELAXED);
		if (id && id < origins->count)
			origins->items[id].origin = origin;
	}
}

static void add_holdings(struct hp_origins *origins, const struct hp_snapshot *snapshot,
			 const struct hp_lane *lane, uint64_t *left)
{
	/* Pairs with the RELEASE that published the holding. */
	const struct hp_holding *holding = hp_check_holding(snapshot->bytes,
							    load(&lane->holdings, ACQUIRE));

	for (; holding && *left; --*left) {
		struct hp_place_sum *place = &origins->items[0];
		uint32_t origin = load(&holding->origin, RELAXED);
		if (origin < origins->count && origins->items[origin].origin)
			place = &origins->items[origin];
		place->bytes += load(&holding->bytes, RELAXED);
		place->blocks += load(&holding->blocks, RELAXED);
		place->freed_bytes += load(&holding->freed_bytes, RELAXED);
		place->freed_blocks += load(&holding->freed_blocks, RELAXED);
		place->temporary_blocks += load(&holding->temporary_blocks, RELAXED);
		holding = hp_check_holding(snapshot->bytes, holding->next);
	}
}

bool hp_origins_read(struct hp_origins *origins, const struct hp_snapshot *snapshot)
{
	uint64_t holdings = hp_check_most(snapshot->bytes, sizeof(struct hp_holding));
	uint32_t count = load(&snapshot->header->origin_count, RELAXED);
	struct hp_lanes lanes = hp_snapshot_lanes(snapshot);

	count = count < HP_ORIGINS_MAX ? count : HP_ORIGINS_MAX;
	*origins = (struct hp_origins){ calloc((size_t)count + 1, sizeof(*origins->items)),
					(size_t)count + 1 };
	if (!origins->items)
		return false;
	for (size_t i = 0; i < origins->count; i++)
		origins->items[i].stack = HP_STACKS_NONE;
	find_origins(origins, snapshot);
	for (const struct hp_lane *lane; (lane = hp_lanes_next(&lanes));)
		add_holdings(origins, snapshot, lane, &holdings);
	return true;
}

/* ---- stacks ---- */

static bool add_stack(struct hp_place_sum *place, struct hp_stacks *stacks)
{
	const struct hp_stack_memory memory = {
		.bytes = place->bytes,
		.blocks = place->blocks,
		.live_bytes = hp_minus(place->bytes, place->freed_bytes),
		.live_blocks = hp_minus(place->blocks, place->freed_blocks),
		.peak_bytes = place->origin ? load(&place->origin->peak_bytes, RELAXED) : 0,
		.temporary_blocks = place->temporary_blocks,
	};

	return !place->origin || !place->blocks ||
	       hp_stacks_add_memory(stacks, place->origin->stack, &memory, &place->stack);
}

static bool add_thread(struct hp_cpu *allocations, const struct hp_model *model)
{
	allocations->threads = calloc(1, sizeof(*allocations->threads));
	if (!allocations->threads)
		return false;
	allocations->threads[0] = (struct hp_cpu_thread){ .name = strdup(model->program),
							  .pid = model->pid };
	allocations->thread_count = 1;
	return allocations->threads[0].name != NULL;
}

static void choose_frame(struct hp_place_sum *place, const struct hp_stacks *stacks,
			 const uint8_t *roles)
{
	const struct hp_cpu *cpu = stacks->cpu;
	struct hp_responsible found = hp_find_responsible(
		cpu, roles, &cpu->stacks[stacks->joined[place->stack]]);

	place->shown = found.frame ? hp_stacks_name(stacks, found.frame) : NULL;
	place->level = found.level;
	place->of_libc = found.of_libc;
}

static bool choose_frames(struct hp_origins *origins, const struct hp_stacks *stacks)
{
	uint8_t *roles = hp_frame_roles(stacks->cpu);

	for (size_t i = 0; roles && i < origins->count; i++)
		if (origins->items[i].stack != HP_STACKS_NONE)
			choose_frame(&origins->items[i], stacks, roles);
	free(roles);
	return roles;
}

bool hp_origins_stacks(struct hp_origins *origins, const struct hp_build *build,
		       struct hp_stacks *stacks)
{
	struct hp_cpu *allocations = &build->model->allocations;

	hp_stacks_begin(stacks, build, allocations);
	stacks->with_sources = true;
	for (size_t i = 0; i < origins->count; i++)
		if (!add_stack(&origins->items[i], stacks))
			return false;
	if (!allocations->stack_count)
		return true;
	return add_thread(allocations, build->model) && hp_stacks_finish(stacks) &&
	       choose_frames(origins, stacks);
}

void hp_origins_calls(struct hp_origins *origins, const struct hp_names *names)
{
	for (size_t i = 0; i < origins->count; i++) {
		struct hp_place_sum *place = &origins->items[i];
		if (place->stack == HP_STACKS_NONE && place->origin)
			place->shown = hp_names_find(names, place->origin->call);
	}
}

/* ---- rows ---- */

static char *path_of(const struct hp_snapshot *snapshot, const struct hp_name *name)
{
	const struct hp_module *module = name ? hp_check_module(snapshot->bytes, name->module)
					      : NULL;

	return module ? hp_snapshot_string(snapshot, module->path) : NULL;
}

/* The function that is responsible; in a model that is read without stacks, the one that calls malloc. */
static const char *name_of(const struct hp_place_sum *place)
{
	if (!place->shown)
		return others;
	return hp_name_level(place->shown, place->level);
}

/* The measured function or, if there was none, the responsible one. */
static const char *holder(const struct hp_place_sum *place, const struct hp_snapshot *snapshot,
			  const uint32_t *rows, const struct hp_model *model)
{
	uint32_t site = place->origin ? load(&place->origin->site, RELAXED) : 0;

	if (site && site <= snapshot->site_count && rows[site])
		return model->functions[rows[site] - 1].name;
	return name_of(place);
}

/* Set the source line if names have it, as those of stacks do. Returns whether there is one. */
static bool set_line(struct hp_live *live, const struct hp_place_sum *place)
{
	const struct hp_name_detail *detail = &place->shown->detail;
	bool is_between = place->level && place->level <= detail->between.count;
	const char *file = place->level ? detail->outer_file : detail->place_file;
	uint32_t line = place->level ? detail->outer_line : detail->place_line;

	if (place->stack == HP_STACKS_NONE)
		return false;
	if (is_between) {
		const char *location = detail->between.items[place->level - 1].location;
		live->location = location ? strdup(location) : NULL;
	} else if (!file || !line || asprintf(&live->location, "%s:%" PRIu32, file, line) < 0) {
		live->location = NULL;
	}
	return live->location;
}

/* Location until a source line is found: an address, with the function unless that is the row's name. */
static bool set_location(struct hp_live *live, const struct hp_place_sum *place, char *path)
{
	const struct hp_name *call = place->shown;
	const char *function = name_of(place);
	bool tells_more = call->has_symbol && strcmp(live->name, function) != 0;
	bool is_done = set_line(live, place);

	if (!is_done && asprintf(&live->location, "%s+0x%" PRIx64 "%s%s%s", hp_file_name(path),
				 call->address + 1, tells_more ? " (" : "",
				 tells_more ? function : "", tells_more ? ")" : "") < 0)
		live->location = NULL;
	if (!is_done && call->has_symbol) {
		live->module = path;
		live->offset = call->address + 1;
	} else {
		free(path);
	}
	return live->location;
}

static bool add_live(const struct hp_place_sum *place, const struct hp_snapshot *snapshot,
		     const uint32_t *rows, struct hp_model *model)
{
	const struct hp_name *call = place->shown;
	struct hp_live *live = &model->memory.live[model->memory.live_count++];
	uint64_t peak = place->origin ? load(&place->origin->peak_bytes, RELAXED) : 0;

	*live = (struct hp_live){ .bytes = hp_minus(place->bytes, place->freed_bytes),
				  .blocks = hp_minus(place->blocks, place->freed_blocks) };
	live->peak_bytes = hp_max(peak, live->bytes);
	live->name = strdup(holder(place, snapshot, rows, model));
	model->memory.live_bytes += live->bytes;
	model->memory.live_blocks += live->blocks;
	char *path = live->name ? path_of(snapshot, call) : NULL;
	live->of_libc = place->stack != HP_STACKS_NONE
				? place->of_libc
				: call && hp_is_libc_own(path,
							 call->has_symbol ? call->text : NULL);
	return live->name && (!path || set_location(live, place, path));
}

bool hp_origins_live(const struct hp_origins *origins, const struct hp_snapshot *snapshot,
		     const uint32_t *rows, struct hp_model *model)
{
	model->memory.live = calloc(origins->count, sizeof(*model->memory.live));
	if (!model->memory.live)
		return false;
	for (size_t i = 0; i < origins->count; i++)
		if (origins->items[i].blocks &&
		    !add_live(&origins->items[i], snapshot, rows, model))
			return false;
	hp_memory_join(&model->memory);
	return true;
}

static void set_figures(struct hp_alloc_figures *figures, const struct hp_place_sum *place)
{
	figures->bytes += place->bytes;
	figures->count += place->blocks;
	figures->inclusive_bytes += place->bytes;
	figures->inclusive_count += place->blocks;
	figures->freed_bytes += place->freed_bytes;
	figures->freed_count += place->freed_blocks;
	figures->temporary_count += place->temporary_blocks;
}

/* Where an inlined function is declared; NULL and 0 for one that has a symbol. */
static const char *declaration_of(const struct hp_place_sum *place, uint32_t *line)
{
	const struct hp_name_detail *detail = &place->shown->detail;

	*line = 0;
	if (place->level == 0) {
		*line = detail->line;
		return detail->file;
	}
	if (place->level > detail->between.count)
		return NULL;
	*line = detail->between.items[place->level - 1].line;
	return detail->between.items[place->level - 1].file;
}

/* Add a place to the row of its function, which is made if it is not there yet. */
static bool add_function(const struct hp_place_sum *place, const struct hp_snapshot *snapshot,
			 const struct hp_function_index *index, struct hp_model *model)
{
	const struct hp_name *call = place->shown;
	struct hp_function function = { .kind = HP_SITE_CALL };
	const char *file = call ? declaration_of(place, &function.line) : NULL;

	function.name = strdup(name_of(place));
	function.file = file ? strdup(file) : NULL;
	function.module = path_of(snapshot, call);
	function.offset = call ? call->entry : 0;
	function.has_symbol = call && call->has_symbol;
	if (!function.name || (file && !function.file)) {
		hp_function_clear(&function);
		return false;
	}
	size_t *slot = hp_function_index_slot(index, model, &function);
	if (*slot) {
		hp_function_clear(&function);
	} else {
		model->functions[model->function_count++] = function;
		*slot = model->function_count;
	}
	set_figures(&model->functions[*slot - 1].alloc, place);
	return true;
}

bool hp_origins_functions(const struct hp_origins *origins, const struct hp_snapshot *snapshot,
			  struct hp_model *model)
{
	size_t room = model->function_count + origins->count;
	struct hp_function *functions = reallocarray(model->functions, room, sizeof(*functions));
	struct hp_function_index index;
	bool done = true;

	if (functions)
		model->functions = functions;
	if (!functions || hp_function_index_open(&index, model, room))
		return false;
	for (size_t i = 0; i < origins->count && done; i++)
		if (origins->items[i].blocks)
			done = add_function(&origins->items[i], snapshot, &index, model);
	hp_function_index_close(&index);
	return done;
}
