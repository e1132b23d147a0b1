/* SPDX-License-Identifier: MIT */
/* The function that is responsible for an allocation. */
#include "responsible.h"

#include "arithmetic.h"
#include "array.h"
#include "file_name.h"
#include "libc_own.h"
#include "wrappers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Name of the row for stacks that were not recorded separately. */
static const char others[] = "<other call sites>";

static const char *path_of(const struct hp_cpu *cpu, const struct hp_cpu_frame *frame)
{
	return frame->module >= 0 ? cpu->modules[frame->module].path : NULL;
}

/* ---- one frame ---- */

/* Whether a function starts a program or a thread. Some such functions are in the program's own file. */
static bool is_entry(const char *name)
{
	return strcmp(name, "_start") == 0 || strcmp(name, "__libc_start_main") == 0 ||
	       strcmp(name, "start_thread") == 0 || strcmp(name, "clone3") == 0;
}

/* Whether a frame is named by its address: "libfoo.so+0x1234". */
static bool is_nameless(const struct hp_cpu *cpu, const struct hp_cpu_frame *frame)
{
	const char *path = path_of(cpu, frame), *file = path ? hp_file_name(path) : "";
	size_t length = strlen(file);

	return length && strncmp(frame->name, file, length) == 0 &&
	       strncmp(frame->name + length, "+0x", 3) == 0;
}

static enum hp_frame_role role_of(const struct hp_cpu *cpu, const struct hp_cpu_frame *frame)
{
	if (frame->kind == HP_FRAME_SITE || frame->kind == HP_FRAME_WAIT)
		return HP_ROLE_NONE;
	if (is_entry(frame->name))
		return HP_ROLE_ENTRY;
	if (strcmp(frame->name, HP_CPU_OWN) == 0 || hp_is_libc_file(path_of(cpu, frame)) ||
	    hp_is_wrapper(frame->name))
		return HP_ROLE_WRAPPER;
	if (is_nameless(cpu, frame))
		return HP_ROLE_NAMELESS;
	return frame->inlined && hp_is_wrapper(frame->inlined) ? HP_ROLE_OUTER
							       : HP_ROLE_RESPONSIBLE;
}

uint8_t *hp_frame_roles(const struct hp_cpu *cpu)
{
	uint8_t *roles = malloc(cpu->frame_count + 1);

	for (size_t i = 0; roles && i < cpu->frame_count; i++)
		roles[i] = (uint8_t)role_of(cpu, &cpu->frames[i]);
	return roles;
}

/* ---- a stack ---- */

/* The innermost function of a frame that is no wrapper. The outermost is none, or else the frame has another role. */
static uint32_t level_around_wrappers(const struct hp_cpu_frame *frame)
{
	uint32_t level = 0, last = hp_cpu_frame_levels(frame) - 1;

	while (level < last && hp_is_wrapper(hp_cpu_frame_level(frame, level)))
		level++;
	return level;
}

static void set_frame(struct hp_responsible *found, const struct hp_cpu_frame *frame,
		      uint32_t level)
{
	found->frame = frame;
	found->level = level;
	found->name = hp_cpu_frame_level(frame, level);
	found->location = hp_cpu_frame_level_location(frame, level);
}

/* Whether the search ends before a frame, because the nameless function that was found is not in the same file. */
static bool leaves_file(const struct hp_responsible *found, const struct hp_cpu_frame *frame,
			uint8_t role)
{
	return role == HP_ROLE_ENTRY ||
	       (role >= HP_ROLE_OUTER && frame->module != found->frame->module);
}

struct hp_responsible hp_find_responsible(const struct hp_cpu *cpu, const uint8_t *roles,
					  const struct hp_cpu_stack *stack)
{
	struct hp_responsible found = { .frame = NULL };
	bool is_found = false, is_nameless = false;

	for (uint32_t i = 0; i < stack->depth && !is_found; i++) {
		const struct hp_cpu_frame *frame = &cpu->frames[stack->frames[i]];
		uint8_t role = roles[stack->frames[i]];
		if (role == HP_ROLE_NONE)
			continue;
		if (is_nameless && leaves_file(&found, frame, role))
			return found;
		if (!found.frame)
			found.of_libc = hp_is_libc_own(path_of(cpu, frame), frame->name);
		/* What the C library keeps for itself is named by its own function. */
		is_found = role == HP_ROLE_OUTER || role == HP_ROLE_RESPONSIBLE || found.of_libc;
		if (is_found || !found.frame || (!is_nameless && role != HP_ROLE_ENTRY))
			set_frame(&found, frame,
				  role == HP_ROLE_OUTER ? level_around_wrappers(frame) : 0);
		is_nameless |= role == HP_ROLE_NAMELESS;
	}
	return found;
}

const char *hp_responsible_name(const struct hp_responsible *found)
{
	return found->frame ? found->name : others;
}

/*
 * The location of a row, "src/work.c:33" or "libfoo.so+0x1234", to which the function is added if the row has another name. It is
 * NULL if the stack has no code. Returns false when memory ran out.
 */
static bool make_location(const struct hp_model *model, const struct hp_responsible *found,
			  const char *row, char **location)
{
	const struct hp_cpu_frame *frame = found->frame;
	const char *path = frame ? path_of(&model->allocations, frame) : NULL;
	bool tells_more = path && strcmp(row, found->name) != 0 && !strstr(found->name, "+0x");

	*location = found->location ? strdup(found->location) : NULL;
	if (found->location || !path)
		return *location || !found->location;
	if (asprintf(location, "%s+0x%" PRIx64 "%s%s%s", hp_file_name(path), frame->address,
		     tells_more ? " (" : "", tells_more ? found->name : "",
		     tells_more ? ")" : "") < 0)
		*location = NULL;
	return *location != NULL;
}

bool hp_live_is_of(const struct hp_live *live, const struct hp_model *model,
		   const struct hp_responsible *found)
{
	char *location;

	if (live->of_libc != found->of_libc ||
	    (!hp_model_has_calls(model) && strcmp(live->name, hp_responsible_name(found)) != 0) ||
	    !make_location(model, found, live->name, &location))
		return false;
	bool is_same = strcmp(location ? location : "", live->location ? live->location : "") == 0;
	free(location);
	return is_same;
}

/* ---- rows ---- */

struct work {
	struct hp_model *model;
	uint8_t *roles;
	/* The row plus one of each frame's function, twice: as it is, and without wrappers that were inlined. At the end: that of
	   stacks without code. */
	size_t *rows;
	size_t room;
};

static bool add_live(struct work *work, const struct hp_cpu_stack *stack,
		     const struct hp_responsible *found)
{
	struct hp_memory *memory = &work->model->memory;
	const char *name = hp_responsible_name(found);
	struct hp_live live = { .name = strdup(name),
				.bytes = stack->memory.live_bytes,
				.blocks = stack->memory.live_blocks,
				.peak_bytes = stack->memory.peak_bytes,
				.of_libc = found->of_libc };

	if (live.peak_bytes < live.bytes)
		live.peak_bytes = live.bytes;
	memory->live_bytes += live.bytes;
	memory->live_blocks += live.blocks;
	if (live.name && make_location(work->model, found, name, &live.location) &&
	    hp_memory_append(memory, live))
		return true;
	hp_live_clear(&live);
	return false;
}

static bool is_row_of(const struct hp_function *row, const char *name, const char *path)
{
	return row->kind == HP_SITE_CALL && strcmp(row->name, name) == 0 &&
	       strcmp(row->module ? row->module : "", path ? path : "") == 0;
}

static bool copy_text(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return *to || !from;
}

/* Where an inlined function of a frame is declared; NULL and 0 for the outermost, which has a symbol. */
static const char *declaration_of(const struct hp_cpu_frame *frame, uint32_t level, uint32_t *line)
{
	*line = 0;
	if (level == 0 && frame->inlined) {
		*line = frame->inlined_line;
		return frame->inlined_file;
	}
	if (level == 0 || level > frame->between.count)
		return NULL;
	*line = frame->between.items[level - 1].line;
	return frame->between.items[level - 1].file;
}

/* Append a row for a function that has none yet. Returns false when memory ran out. */
static bool append_row(struct work *work, const struct hp_responsible *found, const char *path)
{
	struct hp_model *model = work->model;
	const struct hp_cpu_frame *frame = found->frame;
	const char *file = NULL;
	struct hp_function row = { .kind = HP_SITE_CALL };

	if (frame) {
		row.offset = frame->entry;
		row.has_symbol = frame->has_symbol;
		file = declaration_of(frame, found->level, &row.line);
	}
	if (!hp_array_reserve(&model->functions, model->function_count, &work->room, sizeof(row)) ||
	    !copy_text(&row.name, hp_responsible_name(found)) || !copy_text(&row.module, path) ||
	    !copy_text(&row.file, file)) {
		hp_function_clear(&row);
		return false;
	}
	model->functions[model->function_count++] = row;
	return true;
}

/* The row of a function, which is made if it is not there yet; NULL when memory ran out. */
static struct hp_function *row_of(struct work *work, const struct hp_responsible *found)
{
	struct hp_model *model = work->model;
	const struct hp_cpu *cpu = &model->allocations;
	const struct hp_cpu_frame *frame = found->frame;
	const char *path = frame ? path_of(cpu, frame) : NULL;
	size_t *row = &work->rows[2 * cpu->frame_count];

	if (frame)
		row = &work->rows[2 * (size_t)(frame - cpu->frames) + (found->level != 0)];
	for (size_t i = 0; !*row && i < model->function_count; i++)
		if (is_row_of(&model->functions[i], hp_responsible_name(found), path))
			*row = i + 1;
	if (!*row && append_row(work, found, path))
		*row = model->function_count;
	return *row ? &model->functions[*row - 1] : NULL;
}

static void add_figures(struct hp_alloc_figures *figures, const struct hp_stack_memory *memory)
{
	figures->bytes += memory->bytes;
	figures->count += memory->blocks;
	figures->inclusive_bytes += memory->bytes;
	figures->inclusive_count += memory->blocks;
	figures->freed_bytes += hp_minus(memory->bytes, memory->live_bytes);
	figures->freed_count += hp_minus(memory->blocks, memory->live_blocks);
	figures->temporary_count += memory->temporary_blocks;
}

static bool add_stack(struct work *work, const struct hp_cpu_stack *stack)
{
	struct hp_responsible found = hp_find_responsible(&work->model->allocations, work->roles,
							  stack);

	struct hp_function *row = row_of(work, &found);

	if (row)
		add_figures(&row->alloc, &stack->memory);
	return row && add_live(work, stack, &found);
}

static void forget_live(struct hp_memory *memory)
{
	size_t kept = 0;

	for (size_t i = 0; i < memory->live_count; i++) {
		struct hp_live *live = &memory->live[i];
		if (strcmp(live->name, others) == 0) {
			memory->live[kept++] = *live;
			continue;
		}
		memory->live_bytes -= hp_min(live->bytes, memory->live_bytes);
		memory->live_blocks -= hp_min(live->blocks, memory->live_blocks);
		hp_live_clear(live);
	}
	memory->live_count = kept;
}

/*
 * Blocks without a stack keep their rows. So do functions, since others refer to them by number; those without figures are not
 * shown.
 */
static void forget(struct hp_model *model)
{
	forget_live(&model->memory);
	for (size_t i = 0; i < model->function_count; i++)
		if (model->functions[i].kind == HP_SITE_CALL &&
		    strcmp(model->functions[i].name, others) != 0)
			hp_alloc_figures_clear(&model->functions[i].alloc);
}

bool hp_responsible_rows(struct hp_model *model)
{
	const struct hp_cpu *cpu = &model->allocations;
	struct work work = { .model = model,
			     .roles = hp_frame_roles(cpu),
			     .rows = calloc(2 * cpu->frame_count + 1, sizeof(size_t)),
			     .room = model->function_count };
	bool done = work.roles && work.rows;
	bool is_possible = cpu->stack_count && !hp_model_has_calls(model);

	if (done && is_possible)
		forget(model);
	for (size_t i = 0; done && is_possible && i < cpu->stack_count; i++)
		done = add_stack(&work, &cpu->stacks[i]);
	hp_memory_join(&model->memory);
	free(work.roles);
	free(work.rows);
	return done;
}
