/* SPDX-License-Identifier: MIT */
/* One program in the list of those that a server is asked about: how it is read. */
#include "program.h"

#include "arithmetic.h"
#include "file_name.h"
#include "names/stripped.h"
#include "now.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The figures of a complete model may be so old. */
#define COMPLETE_NS UINT64_C(250000000)
/* Who reads as seldom as this gets all functions. */
#define RARE_NS UINT64_C(4000000000)

enum {
	/*
	 * Stats (a function on a thread) of a read, and functions that are in each of them. Most programs have fewer stats; of 500
	 * functions on 32 threads, the busiest are always new, and each of the others is at every eighth read.
	 */
	QUOTA = 2000,
	BUSIEST = 16,
};

static const struct hp_program_kind process_kind;
static const struct hp_program_kind report_kind;

void hp_program_free(struct hp_program *program)
{
	if (!program)
		return;
	hp_program_forget_complete(program);
	hp_watch_free(program->watch);
	hp_model_free(program->saved.model);
	free(program->id);
	free(program->name);
	free(program->path);
	free(program->executable);
	free(program);
}

/* ---- making ---- */

struct hp_program *hp_program_whole_or_none(struct hp_program *program)
{
	if (program->id && program->name)
		return program;
	program->saved.model = NULL;
	hp_program_free(program);
	return NULL;
}

static void open_process(struct hp_program *program, const struct hp_found *found)
{
	if (hp_watch_open(&program->watch, NULL, &program->error))
		return;
	if (hp_watch_choose(program->watch, found, &program->error) == 0)
		return;
	hp_watch_free(program->watch);
	program->watch = NULL;
}

char *hp_program_id(const struct hp_found *found)
{
	char *id = NULL;

	if (found->is_elsewhere)
		return strdup(hp_file_name(found->path));
	return asprintf(&id, "%" PRIu32, found->pid) < 0 ? NULL : id;
}

/* A program of one process, until more are known. NULL when memory ran out. */
static struct hp_program *new_program(const struct hp_program_kind *kind)
{
	struct hp_program *program = calloc(1, sizeof(*program));

	if (!program)
		return NULL;
	program->kind = kind;
	program->processes = 1;
	return program;
}

struct hp_program *hp_program_of_process(const struct hp_found *found)
{
	struct hp_program *program = new_program(&process_kind);

	if (!program)
		return NULL;
	memcpy(program->run, found->run, sizeof(program->run));
	program->id = hp_program_id(found);
	program->name = strdup(found->program);
	program->path = strdup(found->path);
	program->executable = strdup(found->executable);
	program->pid = found->pid;
	program->started_unix_ns = found->process_unix_ns;
	program->segment_unix_ns = found->start_unix_ns;
	if (program->path && program->executable)
		open_process(program, found);
	hp_program_found(program, found);
	return hp_program_whole_or_none(program);
}

struct hp_program *hp_program_of_file(const char *path)
{
	struct hp_program *program = new_program(&process_kind);
	struct hp_error ignored;

	if (!program)
		return NULL;
	program->id = strdup(path);
	program->name = strdup(path);
	if (hp_watch_open(&program->watch, path, &program->error) == 0)
		hp_program_read(program, 0, &ignored);
	return hp_program_whole_or_none(program);
}

void hp_program_note_figures(struct hp_program *program, const struct hp_model *model)
{
	program->is_known = true;
	program->processes = hp_max(program->processes, model->processes);
	program->pid = model->pid;
	program->elapsed_ns = model->elapsed_ns;
	program->threads = model->threads.count;
	program->functions = model->function_count;
}

struct hp_program *hp_program_of_saved(const char *path, const struct hp_saved *saved)
{
	struct hp_program *program = new_program(&report_kind);

	if (!program)
		return NULL;
	program->id = strdup(path);
	program->name = strdup(saved->model->program ? saved->model->program : path);
	program->saved = *saved;
	program->started_unix_ns = saved->model->start_unix_ns;
	program->state = HP_PROGRAM_SAVED;
	hp_program_note_figures(program, saved->model);
	return hp_program_whole_or_none(program);
}

/* ---- its state ---- */

void hp_program_found(struct hp_program *program, const struct hp_found *found)
{
	program->is_live = found->live;
	program->is_over &= !found->live;
}

static enum hp_program_state state_of_report(const struct hp_program *program)
{
	(void)program;
	return HP_PROGRAM_SAVED;
}

/* Until it is read, a process is what it was when it was found. */
static enum hp_program_state state_of_process(const struct hp_program *program)
{
	enum hp_watch_state seen = program->watch ? hp_watch_state(program->watch)
						  : HP_WATCH_WAITING;

	if (seen == HP_WATCH_WAITING)
		return program->is_live ? HP_PROGRAM_RUNNING : HP_PROGRAM_ENDED;
	if (seen == HP_WATCH_STALE)
		return HP_PROGRAM_STOPPED;
	return seen == HP_WATCH_LIVE ? HP_PROGRAM_RUNNING : HP_PROGRAM_ENDED;
}

enum hp_program_state hp_program_note_state(struct hp_program *program)
{
	program->state = program->kind->state(program);
	return program->state;
}

/* ---- reading ---- */

/* A watch that is read after its program has ended would go on with another process. */
static bool can_change(const struct hp_program *program)
{
	return !program->is_over && hp_watch_state(program->watch) != HP_WATCH_ENDED;
}

/* The ids of the functions with the most time; returns how many there are. */
static size_t find_busiest(const struct hp_model *model, uint32_t ids[BUSIEST])
{
	uint64_t times[BUSIEST];
	size_t count = 0;

	for (size_t i = 0; model && i < model->function_count; i++) {
		const struct hp_function *function = &model->functions[i];
		size_t at = count;
		for (; at > 0 && times[at - 1] < function->total_ns; at--)
			if (at < BUSIEST) {
				times[at] = times[at - 1];
				ids[at] = ids[at - 1];
			}
		if (at == BUSIEST)
			continue;
		times[at] = function->total_ns;
		ids[at] = function->id;
		count += count < BUSIEST;
	}
	return count;
}

void hp_program_want(struct hp_program *program, uint32_t id, uint64_t until_ns)
{
	size_t free_at = HP_PROGRAM_WANTED;

	for (size_t i = HP_PROGRAM_WANTED; i-- > 0;) {
		if (program->wanted[i].id == id) {
			program->wanted[i].until_ns = hp_max(program->wanted[i].until_ns, until_ns);
			return;
		}
		if (program->wanted[i].until_ns < hp_now_ns())
			free_at = i;
	}
	if (free_at < HP_PROGRAM_WANTED) {
		program->wanted[free_at].id = id;
		program->wanted[free_at].until_ns = until_ns;
	}
}

uint64_t hp_program_histogram(const struct hp_program *program, uint32_t id)
{
	if (program->watch)
		return hp_watch_histogram(program->watch, id);
	/* All of a sum is read at once. */
	return hp_program_is_sum(program) ? program->read_ns : 0;
}

bool hp_program_has_newest_calls(const struct hp_program *program, uint32_t id)
{
	return !program->watch || hp_watch_has_newest_calls(program->watch, id);
}

static size_t find_wanted(const struct hp_program *program, uint32_t ids[HP_PROGRAM_WANTED])
{
	size_t count = 0;

	for (size_t i = 0; i < HP_PROGRAM_WANTED; i++)
		if (program->wanted[i].until_ns >= hp_now_ns())
			ids[count++] = program->wanted[i].id;
	return count;
}

static void read_again(struct hp_program *program, bool is_exact)
{
	uint32_t ids[HP_PROGRAM_WANTED + BUSIEST];
	size_t wanted = find_wanted(program, ids);
	size_t count = wanted + find_busiest(hp_watch_model(program->watch), ids + wanted);

	is_exact |= hp_now_ns() - program->read_ns > RARE_NS;
	program->error.text[0] = '\0';
	hp_watch_set_quota(program->watch, is_exact ? 0 : QUOTA);
	hp_watch_set_whole(program->watch, wanted);
	int failed = hp_watch_read(program->watch, ids, count, &program->error);
	const struct hp_model *model = hp_watch_model(program->watch);

	program->read_ns = hp_now_ns();
	program->is_exact = is_exact;
	program->is_over = failed && !model;
	if (!failed && model)
		hp_program_note_figures(program, model);
	hp_program_note_state(program);
}

static const struct hp_model *read_report(struct hp_program *program, uint64_t most_ns,
					  bool is_exact, struct hp_error *error)
{
	(void)most_ns;
	(void)is_exact;
	(void)error;
	return program->saved.model;
}

static const struct hp_model *read_process(struct hp_program *program, uint64_t most_ns,
					   bool is_exact, struct hp_error *error)
{
	const struct hp_model *model = program->watch ? hp_watch_model(program->watch) : NULL;
	bool is_due = !model || hp_now_ns() - program->read_ns >= most_ns ||
		      (is_exact && !program->is_exact);

	if (program->watch && is_due && can_change(program)) {
		read_again(program, is_exact);
		model = hp_watch_model(program->watch);
	}
	if (!model)
		*error = program->error;
	return model;
}

const struct hp_model *hp_program_read(struct hp_program *program, uint64_t most_ns,
				       struct hp_error *error)
{
	return program->kind->read(program, most_ns, false, error);
}

const struct hp_model *hp_program_read_exact(struct hp_program *program, uint64_t most_ns,
					     struct hp_error *error)
{
	return program->kind->read(program, most_ns, true, error);
}

static struct hp_model *read_whole_report(struct hp_program *program, struct hp_error *error)
{
	(void)program;
	snprintf(error->text, sizeof(error->text), "a saved report does not change");
	return NULL;
}

/* Add what is not in a segment to a model, which may be NULL. */
static struct hp_model *completed(struct hp_program *program, struct hp_model *model,
				  struct hp_error *error)
{
	if (!program->watch)
		*error = program->error;
	if (!model)
		return NULL;
	if (!hp_note_stripped(model)) {
		hp_model_free(model);
		snprintf(error->text, sizeof(error->text), "out of memory");
		return NULL;
	}
	hp_machine_read(&model->machine);
	hp_provenance_read(&model->provenance);
	return model;
}

struct hp_model *hp_program_whole(struct hp_program *program, struct hp_error *error)
{
	return program->kind->read_whole(program, error);
}

static struct hp_model *read_whole_process(struct hp_program *program, struct hp_error *error)
{
	struct hp_model *model = program->watch ? hp_watch_whole_alike(program->watch, error)
						: NULL;

	return completed(program, model, error);
}

static void forget_complete(struct hp_program *program)
{
	hp_model_free(program->complete);
	program->complete = NULL;
}

void hp_program_forget_complete(struct hp_program *program)
{
	program->kind->forget_complete(program);
}

static const struct hp_model *read_complete_report(struct hp_program *program,
						   struct hp_error *error)
{
	(void)error;
	return program->saved.model;
}

static const struct hp_model *read_complete_process(struct hp_program *program,
						    struct hp_error *error)
{
	uint64_t now = hp_now_ns(), begin = hp_own_cpu_ns();

	if (!hp_program_read(program, COMPLETE_NS, error))
		return NULL;
	bool is_last = program->state == HP_PROGRAM_ENDED;
	program->complete_used_ns = now;
	if (program->complete &&
	    (program->is_complete_last || (now < program->complete_until_ns && !is_last)))
		return program->complete;
	struct hp_model *model = completed(program, hp_watch_whole(program->watch, error), error);
	if (!model)
		return program->complete;
	forget_complete(program);
	program->complete = model;
	program->is_complete_last = is_last;
	program->complete_until_ns = hp_use_until(now, hp_own_cpu_ns() - begin);
	return model;
}

const struct hp_model *hp_program_read_complete(struct hp_program *program, struct hp_error *error)
{
	return program->kind->read_complete(program, error);
}

/* ---- kinds ---- */

const char *hp_program_kind_name(const struct hp_program *program)
{
	return program->kind->name;
}

bool hp_program_is_sum(const struct hp_program *program)
{
	return program->kind->is_sum;
}

static const struct hp_program_kind process_kind = {
	.name = "process",
	.state = state_of_process,
	.read = read_process,
	.read_complete = read_complete_process,
	.read_whole = read_whole_process,
	.forget_complete = forget_complete,
};

static const struct hp_program_kind report_kind = {
	.name = "report",
	.state = state_of_report,
	.read = read_report,
	.read_complete = read_complete_report,
	.read_whole = read_whole_report,
	.forget_complete = forget_complete,
};
