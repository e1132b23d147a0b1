/* SPDX-License-Identifier: MIT */
/*
 * Converts recorded stacks, which are addresses, to stacks of named functions.
 *
 * First every stack is copied as indexes of unique places. Then all places are named at once, file by file. Only then
 * is it known which function each place is in, and so whether the value in the link register, or at the top of the
 * stack, was the caller of the first frame. A frame with such a value is marked until then (HP_PLACE_IS_LINK).
 */
#include "stacks.h"

#include "array.h"
#include "atomic.h"
#include "own_file.h"
#include "stack_callers.h"
#include "wait_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The flags in the `end` of a recorded stack; its other bits say why the stack ended there. */
#define FLAGS ((uint32_t)HP_STACK_SYSTEM | (uint32_t)HP_STACK_BY_RULES)

static bool is_same_place(const void *places, uint32_t number, const void *key)
{
	return hp_cpu_is_same_frame((const struct hp_cpu_frame *)places + number, key);
}

void hp_stacks_begin(struct hp_stacks *stacks, const struct hp_build *build, struct hp_cpu *cpu)
{
	const struct hp_snapshot *snapshot = build->snapshot;
	uint64_t left = hp_check_most(snapshot->bytes, sizeof(struct hp_module));
	/* Pairs with the RELEASE that published the module. */
	uint64_t at = load(&snapshot->header->modules, ACQUIRE);
	const struct hp_module *module;

	stacks->build = build;
	stacks->snapshot = snapshot;
	stacks->cpu = cpu;
	stacks->left = snapshot->bytes.size;
	stacks->known.is_same = is_same_place;
	for (; left && (module = hp_check_module(snapshot->bytes, at)); left--, at = module->next) {
		uint32_t id = load(&module->id, RELAXED);
		if (id <= HP_FRAME_MODULES_MAX)
			stacks->modules[id] = at;
	}
}

/* ---- copying ---- */

/* A module that was good may not be so any more, since the segment may change: then it is left out. Returns false when memory
   ran out. */
static bool add_module(struct hp_stacks *stacks, uint32_t id)
{
	struct hp_cpu *cpu = stacks->cpu;
	const struct hp_module *module = hp_check_module(stacks->snapshot->bytes,
							 stacks->modules[id]);
	if (!module)
		return true;
	struct hp_cpu_module *modules = reallocarray(cpu->modules, cpu->module_count + 1,
						     sizeof(*modules));
	if (!modules)
		return false;
	cpu->modules = modules;
	char *path = hp_snapshot_string(stacks->snapshot, module->path);
	struct hp_cpu_module added = { .path = path ? path : strdup("?") };
	hp_cpu_module_copy_build_id(&added, module);
	if (!added.path)
		return false;
	modules[cpu->module_count++] = added;
	stacks->module_numbers[id] = (uint32_t)cpu->module_count;
	return true;
}

/* Decode a frame, except for its name. Returns false when memory ran out. */
static bool read_code(struct hp_stacks *stacks, uint64_t raw, struct hp_cpu_frame *place)
{
	uint32_t id = hp_frame_kind(raw) == HP_FRAME_ADDRESS ? 0 : hp_frame_module(raw);

	place->address = hp_frame_value(raw);
	if (!stacks->modules[id] || id == 0)
		return true;
	if (!stacks->module_numbers[id] && !add_module(stacks, id))
		return false;
	if (!stacks->module_numbers[id])
		return true;
	place->kind = HP_FRAME_CODE;
	place->module = (int32_t)stacks->module_numbers[id] - 1;
	return true;
}

static bool add_place(struct hp_stacks *stacks, const struct hp_cpu_frame *place, uint32_t *number)
{
	uint32_t next = (uint32_t)stacks->place_count;

	if (next >= HP_PLACE_IS_LINK ||
	    !hp_array_reserve(&stacks->places, next, &stacks->place_room, sizeof(*place)) ||
	    !hp_intern(&stacks->known, hp_cpu_frame_hash(place), stacks->places, place, next,
		       number))
		return false;
	if (*number == next)
		stacks->places[stacks->place_count++] = *place;
	return true;
}

/* The row of a site, HP_CPU_NOT_KNOWN when it has none. */
static int32_t row_of(const struct hp_stacks *stacks, uint64_t site)
{
	return site <= stacks->snapshot->site_count ? (int32_t)stacks->build->rows[site] - 1
						    : HP_CPU_NOT_KNOWN;
}

static bool has_link(const struct hp_cpu_stack *stack)
{
	for (uint32_t i = 0; i < stack->depth; i++)
		if (stack->frames[i] & HP_PLACE_IS_LINK)
			return true;
	return false;
}

/* Append a frame to the copy of a stack. has_code: there was a code frame before, so this one is a return address. */
static bool copy_frame(struct hp_stacks *stacks, uint64_t raw, bool has_code,
		       struct hp_cpu_stack *stack)
{
	struct hp_cpu_frame place = { .kind = HP_FRAME_ADDRESS,
				      .module = HP_CPU_NOT_KNOWN,
				      .function = HP_CPU_NOT_KNOWN,
				      .returns = has_code };
	uint32_t number;

	if (hp_frame_kind(raw) == HP_FRAME_SITE) {
		place.kind = HP_FRAME_SITE;
		place.returns = false;
		place.function = row_of(stacks, hp_frame_value(raw));
		if (place.function == HP_CPU_NOT_KNOWN)
			return true;
	} else if (hp_frame_kind(raw) == HP_FRAME_WAIT) {
		place.kind = HP_FRAME_WAIT;
		place.returns = false;
		place.address = raw;
	} else if (!read_code(stacks, raw, &place)) {
		return false;
	}
	if (!add_place(stacks, &place, &number))
		return false;
	/* A function that is measured twice appears twice: keep one. */
	if (stack->depth && place.kind == HP_FRAME_SITE &&
	    stack->frames[stack->depth - 1] == number)
		return true;
	/* There is at most one link register; a damaged stack may claim more. */
	if (hp_frame_kind(raw) == HP_FRAME_LINK && !has_link(stack))
		number |= HP_PLACE_IS_LINK;
	stack->frames[stack->depth++] = number;
	return true;
}

/* `memory` is set for the stack of an allocation, in which all frames are return addresses. */
static bool copy_stack(struct hp_stacks *stacks, const struct hp_stack *from, uint32_t depth,
		       uint32_t thread, const struct hp_stack_memory *memory)
{
	struct hp_cpu *cpu = stacks->cpu;
	struct hp_cpu_stack stack = { .thread = thread,
				      .samples = load(&from->samples, RELAXED),
				      .whole = (from->end & ~FLAGS) == HP_STACK_WHOLE,
				      .by_rules = from->end & HP_STACK_BY_RULES,
				      .system = from->end & HP_STACK_SYSTEM };
	bool has_code = memory, done = true;

	if (memory)
		stack.memory = *memory;

	stack.frames = calloc(depth, sizeof(*stack.frames));
	if (!stack.frames)
		return false;
	for (uint32_t i = 0; i < depth && done; i++) {
		uint64_t frame = load(&from->frames[i], RELAXED);
		done = copy_frame(stacks, frame, has_code, &stack);
		has_code |= hp_frame_kind(frame) != HP_FRAME_SITE;
	}
	cpu->stacks[cpu->stack_count++] = stack;
	return done;
}

static bool append_stack(struct hp_stacks *stacks, const struct hp_stack *stack, uint32_t depth,
			 uint32_t thread, const struct hp_stack_memory *memory)
{
	struct hp_cpu *cpu = stacks->cpu;

	return hp_array_reserve(&cpu->stacks, cpu->stack_count, &stacks->stack_room,
				sizeof(*cpu->stacks)) &&
	       copy_stack(stacks, stack, depth, thread, memory);
}

/* Whether all stacks that were read, including this one, take no more than the segment has. */
static bool may_read(struct hp_stacks *stacks, uint32_t depth)
{
	uint64_t size = sizeof(struct hp_stack) + depth * sizeof(uint64_t);

	if (stacks->left < size)
		return false;
	stacks->left -= size;
	return true;
}

bool hp_stacks_add(struct hp_stacks *stacks, uint64_t newest, uint32_t thread)
{
	struct hp_bytes bytes = stacks->snapshot->bytes;
	uint32_t depth;
	const struct hp_stack *stack = hp_check_stack(bytes, newest, &depth);

	for (; stack; stack = hp_check_stack(bytes, stack->next, &depth)) {
		if (!may_read(stacks, depth))
			return true;
		/* The stack was only sampled in an earlier session. */
		if (!load(&stack->samples, RELAXED))
			continue;
		if (!append_stack(stacks, stack, depth, thread, NULL))
			return false;
	}
	return true;
}

bool hp_stacks_add_memory(struct hp_stacks *stacks, uint64_t at,
			  const struct hp_stack_memory *memory, uint32_t *number)
{
	uint32_t depth;
	const struct hp_stack *stack = hp_check_stack(stacks->snapshot->bytes, at, &depth);

	*number = HP_STACKS_NONE;
	if (!stack || !may_read(stacks, depth))
		return true;
	*number = (uint32_t)stacks->cpu->stack_count;
	return append_stack(stacks, stack, depth, 0, memory);
}

/* ---- naming ---- */

static bool name_places(struct hp_stacks *stacks)
{
	struct hp_names *names = &stacks->names;
	uint64_t offsets[HP_FRAME_MODULES_MAX + 1] = { 0 };

	for (uint32_t id = 1; id <= HP_FRAME_MODULES_MAX; id++)
		if (stacks->module_numbers[id])
			offsets[stacks->module_numbers[id] - 1] = stacks->modules[id];
	names->with_frames = true;
	names->items = calloc(stacks->place_count + 1, sizeof(*names->items));
	for (uint32_t i = 0; names->items && i < stacks->place_count; i++) {
		const struct hp_cpu_frame *place = &stacks->places[i];
		uint64_t address = place->address - place->returns;
		if (place->kind == HP_FRAME_CODE)
			names->items[names->count++] =
				(struct hp_name){ .site = i,
						  .module = offsets[place->module],
						  .address = address,
						  .entry = address,
						  .is_call = place->returns,
						  .is_inside = true };
	}
	return names->items && hp_names_resolve(names, stacks->snapshot);
}

static char *text_of(const struct hp_stacks *stacks, uint32_t number)
{
	const struct hp_cpu_frame *place = &stacks->places[number];
	const struct hp_name *name = hp_names_find(&stacks->names, number);

	if (place->kind == HP_FRAME_WAIT)
		return hp_wait_name(stacks->build, place->address);
	if (place->kind == HP_FRAME_SITE)
		return strdup(stacks->build->model->functions[place->function].name);
	if (place->module >= 0 && hp_is_own_file(stacks->cpu->modules[place->module].path))
		return strdup(HP_CPU_OWN);
	return strdup(name ? name->text : HP_CPU_GENERATED);
}

static bool copy_text(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return *to || !from;
}

static bool set_line(char **location, const char *file, uint32_t line)
{
	if (!file || !line)
		return true;
	if (asprintf(location, "%s:%" PRIu32, file, line) < 0)
		*location = NULL;
	return *location != NULL;
}

/* Set the source lines of a place, and where its function begins: rows of allocations show them beside the name. */
static bool set_source(struct hp_cpu_frame *frame, const struct hp_name *name)
{
	const struct hp_name_detail *detail = &name->detail;

	frame->entry = name->entry;
	frame->has_symbol = name->has_symbol;
	frame->inlined_line = detail->line;
	return copy_text(&frame->inlined_file, detail->file) &&
	       set_line(&frame->location, detail->place_file, detail->place_line) &&
	       set_line(&frame->outer_location, detail->outer_file, detail->outer_line);
}

/* Convert a place to a frame of the model, with its name. Returns false when memory ran out. */
static bool frame_of(struct hp_stacks *stacks, uint32_t place, uint32_t *frame)
{
	struct hp_cpu *cpu = stacks->cpu;

	if (!stacks->frame_numbers[place]) {
		struct hp_cpu_frame *added = &cpu->frames[cpu->frame_count];
		const struct hp_name *name = hp_names_find(&stacks->names, place);
		const char *inlined = name ? name->detail.inlined : NULL;
		*added = stacks->places[place];
		added->name = text_of(stacks, place);
		if (added->kind == HP_FRAME_WAIT && added->name)
			added->address = hp_cpu_wait_address(added->name);
		added->inlined = inlined ? strdup(inlined) : NULL;
		stacks->frame_places[cpu->frame_count] = place;
		stacks->frame_numbers[place] = (uint32_t)++cpu->frame_count;
		if (!added->name || (inlined && !added->inlined) ||
		    (name && !hp_betweens_copy(&added->between, &name->detail.between,
					       stacks->with_sources)) ||
		    (stacks->with_sources && name && !set_source(added, name)))
			return false;
	}
	*frame = stacks->frame_numbers[place] - 1;
	return true;
}

/* ---- finishing ---- */

/* Functions of the profiler that called each other are one frame. */
static void join_own(const struct hp_cpu *cpu, struct hp_cpu_stack *stack)
{
	uint32_t kept = 0;
	bool was_own = false;

	for (uint32_t i = 0; i < stack->depth; i++) {
		bool is_own = strcmp(cpu->frames[stack->frames[i]].name, HP_CPU_OWN) == 0;
		if (!is_own || !was_own)
			stack->frames[kept++] = stack->frames[i];
		was_own = is_own;
	}
	stack->depth = kept;
}

/* Replace the places of a stack by frames of the model. Returns false when memory ran out. */
static bool decide(struct hp_stacks *stacks, struct hp_cpu_stack *stack)
{
	hp_stack_decide_link(stacks, stack);
	stack->whole = hp_stack_is_whole(stacks, stack);
	for (uint32_t i = 0; i < stack->depth; i++)
		if (!frame_of(stacks, stack->frames[i], &stack->frames[i]))
			return false;
	join_own(stacks->cpu, stack);
	return true;
}

static bool is_same_stack(const void *stacks, uint32_t number, const void *key)
{
	const struct hp_cpu_stack *a = (const struct hp_cpu_stack *)stacks + number, *b = key;

	return a->thread == b->thread && a->depth == b->depth && a->whole == b->whole &&
	       a->system == b->system &&
	       memcmp(a->frames, b->frames, a->depth * sizeof(*a->frames)) == 0;
}

static uint64_t stack_hash(const struct hp_cpu_stack *stack)
{
	uint64_t hash = stack->thread;

	for (uint32_t i = 0; i < stack->depth; i++)
		hash = hp_hash(hash, stack->frames[i]);
	return hash;
}

/* Merge stacks that differed only in their link registers, or in the measured function of their allocations. */
static bool join_equal(struct hp_stacks *stacks)
{
	struct hp_cpu *cpu = stacks->cpu;
	struct hp_intern known = { .is_same = is_same_stack };
	bool done = true;
	size_t kept = 0;
	uint32_t number = 0;

	for (size_t i = 0; i < cpu->stack_count; i++) {
		struct hp_cpu_stack stack = cpu->stacks[i];
		if (done)
			done = hp_intern(&known, stack_hash(&stack), cpu->stacks, &stack,
					 (uint32_t)kept, &number);
		stacks->joined[i] = number;
		if (!done || number == kept) {
			cpu->stacks[kept++] = stack;
			continue;
		}
		cpu->stacks[number].samples += stack.samples;
		hp_stack_memory_add(&cpu->stacks[number].memory, &stack.memory);
		free(stack.frames);
	}
	cpu->stack_count = kept;
	hp_intern_free(&known);
	return done;
}

bool hp_stacks_finish(struct hp_stacks *stacks)
{
	struct hp_cpu *cpu = stacks->cpu;

	stacks->frame_numbers = calloc(stacks->place_count + 1, sizeof(*stacks->frame_numbers));
	cpu->frames = calloc(stacks->place_count + 1, sizeof(*cpu->frames));
	stacks->frame_places = calloc(stacks->place_count + 1, sizeof(*stacks->frame_places));
	stacks->joined = calloc(cpu->stack_count + 1, sizeof(*stacks->joined));
	if (!stacks->frame_numbers || !stacks->frame_places || !stacks->joined || !cpu->frames ||
	    !name_places(stacks))
		return false;
	for (size_t i = 0; i < cpu->stack_count; i++)
		if (!decide(stacks, &cpu->stacks[i]))
			return false;
	return join_equal(stacks);
}

const struct hp_name *hp_stacks_name(const struct hp_stacks *stacks,
				     const struct hp_cpu_frame *frame)
{
	return hp_names_find(&stacks->names, stacks->frame_places[frame - stacks->cpu->frames]);
}

void hp_stacks_free(struct hp_stacks *stacks)
{
	hp_names_free(&stacks->names);
	hp_intern_free(&stacks->known);
	free(stacks->places);
	free(stacks->frame_numbers);
	free(stacks->frame_places);
	free(stacks->joined);
}
