/* SPDX-License-Identifier: MIT */
/*
 * A run in the list of programs: the sum of its processes.
 *
 * All reads of a run are complete ones, which take a small part of a processor at most. Processes that have ended are read once.
 */
#include "arithmetic.h"
#include "now.h"
#include "process/found_run.h"
#include "process/register.h"
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- making ---- */

/* A run is called after the process that it began with, which need not have a segment. */
static void describe(struct hp_program *program, const struct hp_processes *processes)
{
	const struct hp_process *root = processes->items;

	if (!processes->count)
		return;
	free(program->name);
	program->name = strdup(root->program);
	program->pid = root->pid;
	program->started_unix_ns = root->start_unix_ns;
	program->processes = processes->count;
}

struct hp_program *hp_program_of_run(const struct hp_found *root,
				     const struct hp_run_reader *reader)
{
	struct hp_program *program = calloc(1, sizeof(*program));
	struct hp_processes processes = { NULL, 0, 0 };

	if (!program)
		return NULL;
	program->kind = &hp_program_run;
	program->id = strdup(root->run);
	program->name = strdup(root->program);
	program->pid = root->pid;
	program->started_unix_ns = root->process_unix_ns;
	/* A run is before its first process in lists, and kept rather than that. */
	program->segment_unix_ns = root->start_unix_ns + 1;
	program->reader = reader;
	if (hp_register_read(root->run, &processes) == 0)
		describe(program, &processes);
	hp_processes_clear(&processes);
	return hp_program_whole_or_none(program);
}

/* Add a segment to a number for all of them, which are always in the same order. */
static uint64_t version_of(uint64_t version, const struct hp_found *found)
{
	return version * 31 + found->start_unix_ns + found->pid + (uint64_t)found->state * 2 +
	       found->live;
}

void hp_program_found_run(struct hp_program *program, const struct hp_found_list *list,
			  const struct hp_found *found)
{
	uint64_t version = 0;

	for (size_t i = 0; i < list->count; i++)
		if (hp_found_same_run(&list->items[i], found))
			version = version_of(version, &list->items[i]);
	program->found_version = version;
	program->is_live = hp_found_run_is_live(list, found) ||
			   program->reader->goes_on(program->id);
	program->processes = hp_max(program->processes, hp_found_processes(list, found));
}

static enum hp_program_state state_of(const struct hp_program *program)
{
	return program->is_live ? HP_PROGRAM_RUNNING : HP_PROGRAM_ENDED;
}

/* ---- reading ---- */

/* Whether there may be something new: always while it runs; then until all that is written at its end was read. */
static bool can_change(const struct hp_program *program, uint64_t version)
{
	return !program->sum || program->is_live || version != program->read_version;
}

static const struct hp_model *read_again(struct hp_program *program, uint64_t version,
					 struct hp_error *error)
{
	uint64_t begin = hp_own_cpu_ns();
	const struct hp_model *model = program->reader->read(&program->reading, program->id, error);

	program->read_ns = hp_now_ns();
	program->complete_until_ns = hp_program_use_until(program->read_ns,
							  hp_own_cpu_ns() - begin);
	program->read_version = version;
	program->error = model ? (struct hp_error){ "" } : *error;
	if (!model)
		return program->sum;
	program->sum = model;
	hp_program_note_figures(program, model);
	return model;
}

static const struct hp_model *read_due(struct hp_program *program, uint64_t due_ns,
				       struct hp_error *error)
{
	uint64_t now = hp_now_ns();
	uint64_t version = program->found_version ^ program->reader->version(program->id);
	bool is_last = !program->is_live && version != program->read_version;

	program->complete_used_ns = now;
	if ((now < due_ns && !is_last) || !can_change(program, version)) {
		if (!program->sum)
			*error = program->error;
		return program->sum;
	}
	return read_again(program, version, error);
}

static const struct hp_model *read_run(struct hp_program *program, uint64_t most_ns, bool is_exact,
				       struct hp_error *error)
{
	(void)is_exact;
	return read_due(program, hp_max(program->complete_until_ns, program->read_ns + most_ns),
			error);
}

static const struct hp_model *read_complete(struct hp_program *program, struct hp_error *error)
{
	return read_due(program, program->complete_until_ns, error);
}

/* The reader keeps its model for the next time. An older one is not that of this moment. */
static struct hp_model *read_whole(struct hp_program *program, struct hp_error *error)
{
	const struct hp_model *model = read_due(program, 0, error);
	struct hp_model *copy = calloc(1, sizeof(*copy));

	if (model && !*program->error.text && copy && hp_model_merge(copy, model) == 0)
		return copy;
	if (*program->error.text)
		*error = program->error;
	else
		snprintf(error->text, sizeof(error->text), "out of memory");
	hp_model_free(copy);
	return NULL;
}

static void forget_complete(struct hp_program *program)
{
	program->reader->forget(program->reading);
	program->reading = NULL;
	program->sum = NULL;
	program->complete_until_ns = 0;
}

const struct hp_program_kind hp_program_run = {
	.name = "run",
	.is_sum = true,
	.state = state_of,
	.read = read_run,
	.read_complete = read_complete,
	.read_whole = read_whole,
	.forget_complete = forget_complete,
};
