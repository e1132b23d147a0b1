/* SPDX-License-Identifier: MIT */
/* Finds files without symbols whose functions matter. */
#include "stripped.h"

#include "file_name.h"

#include <stdlib.h>
#include <string.h>

/* Minimum share, in percent of all samples or bytes, that functions without a name must have for a note. */
enum { CONSIDERABLE = 5 };

/* Names of places without a symbol are the file and the address. */
static bool has_no_name(const char *name, const char *path)
{
	const char *file = hp_file_name(path);
	size_t length = strlen(file);

	return strncmp(name, file, length) == 0 && strncmp(name + length, "+0x", 3) == 0;
}

/* Part: samples or bytes of a file's functions without a name. */
static bool note(struct hp_model *model, const char *path, uint64_t part, uint64_t whole)
{
	return !part || part * 100 < whole * CONSIDERABLE || hp_unnamed_add(model, path);
}

/* ---- CPU time: the innermost place of each stack ---- */

static const struct hp_cpu_frame *innermost(const struct hp_cpu *cpu,
					    const struct hp_cpu_stack *stack)
{
	for (uint32_t i = 0; i < stack->depth; i++) {
		const struct hp_cpu_frame *frame = &cpu->frames[stack->frames[i]];
		if (frame->kind != HP_FRAME_SITE)
			return frame;
	}
	return NULL;
}

static void add_samples(uint64_t *unnamed, const struct hp_cpu *cpu)
{
	for (size_t i = 0; i < cpu->stack_count; i++) {
		const struct hp_cpu_frame *frame = innermost(cpu, &cpu->stacks[i]);
		if (frame && frame->module >= 0 &&
		    has_no_name(frame->name, cpu->modules[frame->module].path))
			unnamed[frame->module] += cpu->stacks[i].samples;
	}
}

static bool note_samples(struct hp_model *model)
{
	const struct hp_cpu *cpu = &model->cpu;
	uint64_t *unnamed = calloc(cpu->module_count + 1, sizeof(*unnamed));
	bool done = unnamed != NULL;

	if (done)
		add_samples(unnamed, cpu);
	for (size_t i = 0; done && i < cpu->module_count; i++)
		done = note(model, cpu->modules[i].path, unnamed[i], cpu->total_samples);
	free(unnamed);
	return done;
}

/* ---- functions that call malloc ---- */

/* More files than these are not worth a word each. */
enum { FILES_MAX = 32 };

struct files {
	const char *paths[FILES_MAX];
	uint64_t unnamed[FILES_MAX];
	size_t count;
};

static uint64_t *bytes_of(struct files *files, const char *path)
{
	size_t i = 0;

	while (i < files->count && strcmp(files->paths[i], path) != 0)
		i++;
	if (i == FILES_MAX)
		return NULL;
	if (i == files->count)
		files->paths[files->count++] = path;
	return &files->unnamed[i];
}

static void add_bytes(struct files *files, const struct hp_function *function)
{
	bool is_unnamed = function->kind == HP_SITE_CALL && function->module &&
			  !function->has_symbol;
	uint64_t *bytes = is_unnamed ? bytes_of(files, function->module) : NULL;

	if (bytes)
		*bytes += function->alloc.bytes;
}

static bool note_bytes(struct hp_model *model)
{
	struct files files = { .count = 0 };
	bool done = true;

	for (size_t i = 0; i < model->function_count; i++)
		add_bytes(&files, &model->functions[i]);
	for (size_t i = 0; done && i < files.count; i++)
		done = note(model, files.paths[i], files.unnamed[i], model->memory.bytes);
	return done;
}

bool hp_note_stripped(struct hp_model *model)
{
	return note_samples(model) && note_bytes(model);
}
