/* SPDX-License-Identifier: MIT */
/* Notes about files without symbols, if their functions matter. */
#include "stripped.h"

#include "file_name.h"

#include <stdlib.h>
#include <string.h>

/* Minimum share, in percent of all samples or bytes, that functions without a name must have for a note. */
enum { CONSIDERABLE = 5 };

bool hp_note_unnamed(struct hp_model *model, const char *file, bool some)
{
	return hp_model_note(
		model,
		"%s has no symbols%s functions are shown by address; install its debug "
		"symbols (package -dbgsym or -debuginfo), or build it with -g and do "
		"not strip it",
		file, some ? " for some functions: these" : ": its");
}

/* Names of places without a symbol are the file and the address. */
static bool has_no_name(const char *name, const char *path)
{
	const char *file = hp_file_name(path);
	size_t length = strlen(file);

	return strncmp(name, file, length) == 0 && strncmp(name + length, "+0x", 3) == 0;
}

struct tally {
	/* Samples or bytes of a file's functions with and without a name. */
	uint64_t named;
	uint64_t unnamed;
};

static bool note(struct hp_model *model, const char *path, const struct tally *tally,
		 uint64_t whole)
{
	if (!tally->unnamed || tally->unnamed * 100 < whole * CONSIDERABLE)
		return true;
	return hp_note_unnamed(model, hp_file_name(path), tally->named > 0);
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

static void add_samples(struct tally *tallies, const struct hp_cpu *cpu)
{
	for (size_t i = 0; i < cpu->stack_count; i++) {
		const struct hp_cpu_frame *frame = innermost(cpu, &cpu->stacks[i]);
		if (!frame || frame->module < 0)
			continue;
		struct tally *tally = &tallies[frame->module];
		if (has_no_name(frame->name, cpu->modules[frame->module].path))
			tally->unnamed += cpu->stacks[i].samples;
		else
			tally->named += cpu->stacks[i].samples;
	}
}

static bool note_samples(struct hp_model *model)
{
	const struct hp_cpu *cpu = &model->cpu;
	struct tally *tallies = calloc(cpu->module_count + 1, sizeof(*tallies));
	bool done = tallies != NULL;

	if (done)
		add_samples(tallies, cpu);
	for (size_t i = 0; done && i < cpu->module_count; i++)
		done = note(model, cpu->modules[i].path, &tallies[i], cpu->total_samples);
	free(tallies);
	return done;
}

/* ---- functions that call malloc ---- */

/* More files than these are not worth a word each. */
enum { FILES_MAX = 32 };

struct files {
	const char *paths[FILES_MAX];
	struct tally tallies[FILES_MAX];
	size_t count;
};

static struct tally *tally_of(struct files *files, const char *path)
{
	size_t i = 0;

	while (i < files->count && strcmp(files->paths[i], path) != 0)
		i++;
	if (i == FILES_MAX)
		return NULL;
	if (i == files->count)
		files->paths[files->count++] = path;
	return &files->tallies[i];
}

static void add_bytes(struct files *files, const struct hp_function *function)
{
	bool calls = function->kind == HP_SITE_CALL && function->module;
	struct tally *tally = calls ? tally_of(files, function->module) : NULL;

	if (tally && function->has_symbol)
		tally->named += function->alloc.bytes;
	else if (tally)
		tally->unnamed += function->alloc.bytes;
}

static bool note_bytes(struct hp_model *model)
{
	struct files files = { .count = 0 };
	bool done = true;

	for (size_t i = 0; i < model->function_count; i++)
		add_bytes(&files, &model->functions[i]);
	for (size_t i = 0; done && i < files.count; i++)
		done = note(model, files.paths[i], &files.tallies[i], model->memory.bytes);
	return done;
}

bool hp_note_stripped(struct hp_model *model)
{
	return note_samples(model) && note_bytes(model);
}
