/* SPDX-License-Identifier: MIT */
/* A run in the list of programs: the sum of its processes. */
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
	program->sum.reader = reader;
	memcpy(program->sum.run, root->run, sizeof(program->sum.run));
	if (hp_register_read(root->run, &processes) == 0)
		describe(program, &processes);
	hp_processes_clear(&processes);
	return hp_program_whole_or_none(program);
}

void hp_program_found_run(struct hp_program *program, const struct hp_found_list *list,
			  const struct hp_found *found)
{
	hp_run_watch_found(&program->sum, list, found);
	program->is_live = program->sum.is_live;
	program->processes = hp_max(program->processes, hp_found_processes(list, found));
}

static enum hp_program_state state_of(const struct hp_program *program)
{
	return program->is_live ? HP_PROGRAM_RUNNING : HP_PROGRAM_ENDED;
}

/* ---- reading ---- */

static const struct hp_model *read_due(struct hp_program *program, uint64_t due_ns,
				       struct hp_error *error)
{
	uint64_t read_ns = program->sum.read_ns;

	program->complete_used_ns = hp_now_ns();
	/* A run of which no segment was found any more does not go on. */
	program->sum.is_live = program->is_live;
	const struct hp_model *model = hp_run_watch_read(&program->sum, due_ns, error);
	if (program->sum.read_ns == read_ns)
		return model;
	program->read_ns = program->sum.read_ns;
	program->error = program->sum.error;
	if (model && !*program->error.text)
		hp_program_note_figures(program, model);
	return model;
}

static const struct hp_model *read_run(struct hp_program *program, uint64_t most_ns, bool is_exact,
				       struct hp_error *error)
{
	(void)is_exact;
	return read_due(program, hp_max(program->sum.until_ns, program->read_ns + most_ns), error);
}

static const struct hp_model *read_complete(struct hp_program *program, struct hp_error *error)
{
	return read_due(program, program->sum.until_ns, error);
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
	hp_run_watch_forget(&program->sum);
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
