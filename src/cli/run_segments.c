/* SPDX-License-Identifier: MIT */
/* Reads the segments of a run, each as a model. */
#include "run_segments.h"

#include "arithmetic.h"
#include "elf_file.h"
#include "file_name.h"
#include "missing.h"
#include "obstacle.h"
#include "output.h"
#include "process/found_run.h"
#include "program_path.h"
#include "run_again.h"
#include "source.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

bool run_has(const struct run_source *source, const struct hp_found *found)
{
	return strcmp(found->run, source->run) == 0;
}

/* ---- how a process ended ---- */

static struct hp_exit exit_of_child(const struct child *child)
{
	bool exited = WIFEXITED(child->wait_status);

	return (struct hp_exit){
		.clean = exited,
		.status = exited ? WEXITSTATUS(child->wait_status) : -1,
		.signal = exited ? 0 : WTERMSIG(child->wait_status),
	};
}

static bool is_child(const struct run_source *source, uint32_t pid)
{
	return source->measured && pid == (uint32_t)source->measured->child.pid;
}

/* The row of the process of a segment, if somebody has seen its end, its parent or we ourselves; NULL while nobody has. */
static const struct hp_process *find_ended(const struct hp_processes *processes,
					   const struct hp_found *found)
{
	const struct hp_process *process = hp_processes_at(processes, found->pid,
							   found->start_unix_ns);

	return process && process->end >= HP_PROCESS_EXITED ? process : NULL;
}

/* Only the program itself knows whether it left by exit or by _exit. */
static struct hp_exit exit_of(const struct hp_found *found, const struct hp_process *process)
{
	bool exited = process->end == HP_PROCESS_EXITED;

	return (struct hp_exit){ .clean = exited && found->state == HP_STATE_EXITED,
				 .status = exited ? (int)process->status : -1,
				 .signal = exited ? 0 : (int)process->status };
}

/* ---- what a process did not record ---- */

/* A process that was killed has told the time of its last event, which may be long before its end. */
static void extend(struct hp_model *model, uint64_t end_unix_ns)
{
	uint64_t elapsed_ns = hp_minus(end_unix_ns, model->start_unix_ns);
	uint64_t more = hp_minus(elapsed_ns, model->elapsed_ns);

	model->elapsed_ns += more;
	model->own_elapsed_ns += more;
	hp_threads_lasted(&model->threads, model->pid, model->elapsed_ns);
}

/*
 * Whether the end of a process is that of what its segment tells. One that has stopped recording knows until when its figures are,
 * and open calls end with the last event. Another program may have been executed in its place. And a parent may wait for its child
 * long after its end: only the tool, which has started the first process of a run, does so at once.
 */
static bool has_same_end(const struct hp_model *model, const struct hp_found *found,
			 const struct hp_process *process, const struct hp_processes *processes)
{
	return found->state == HP_STATE_RUNNING && process->has_elapsed &&
	       !hp_model_has_calls(model) &&
	       !hp_processes_at(processes, process->parent, process->start_unix_ns) &&
	       strcmp(process->program, hp_file_name(found->executable)) == 0;
}

static void add_known(struct hp_model *model, const struct hp_found *found,
		      const struct hp_process *process, const struct hp_processes *processes)
{
	if (!model->memory.peak_rss_bytes)
		model->memory.peak_rss_bytes = process->peak_rss_bytes;
	if (has_same_end(model, found, process, processes))
		extend(model, process->start_unix_ns + process->elapsed_ns);
}

/* Whether the process made no allocations, as opposed to the probe being absent. */
static bool had_no_allocations(const struct measured *measured, const char *path,
			       const struct hp_model *model)
{
	return measured->alloc != HP_ALLOC_NONE && model->memory.mode == HP_ALLOC_NONE &&
	       (obstacle_find(path) == OBSTACLE_NONE ||
		obstacle_avoided(path, PROBE_OF_ALLOCATIONS) != PROBE_NONE);
}

/* Fill in what the process itself did not record. */
static void complete(struct hp_model *model, const char *path, const struct measured *measured)
{
	if (path && had_no_allocations(measured, path, model))
		model->memory.mode = measured->alloc;
	missing_explain(model, path, measured);
}

/* Whether it is measured by macros in its source, not by its compiler or a probe. */
static bool measures_itself(const struct hp_model *model)
{
	for (size_t i = 0; i < model->function_count; i++)
		if (model->functions[i].calls && !model->functions[i].module &&
		    model->functions[i].file && model->functions[i].kind <= HP_SITE_MAIN)
			return true;
	for (size_t i = 0; i < model->entries.count; i++)
		if (model->entries.items[i].file && model->entries.items[i].is_labelled)
			return true;
	return false;
}

static bool has_caller(const struct hp_model *model)
{
	for (size_t i = 0; i < model->function_count; i++)
		if (model->functions[i].is_caller && model->functions[i].kind == HP_SITE_MAIN)
			return true;
	return false;
}

/* Note a program that has macros but never starts recording: without us it measures nothing. */
static void note_never_started(struct hp_model *model)
{
	if (measures_itself(model) && !has_caller(model))
		hp_model_note(model,
			      "%s never starts recording (HOTPATH_MAIN or hotpath_start): it is "
			      "measured only under 'hotpath run'",
			      model->program);
}

/* ---- one segment ---- */

static struct hp_model *read_model(const struct run_source *run, const struct hp_found *found,
				   const struct hp_exit *exit)
{
	struct hp_error error = { "" };
	struct source source = { .tasks = found->live ? run_again_tasks(run->again, found->pid)
						      : NULL };

	if (source_segment(&source, found->path, found->user, exit, &error))
		complain("%s", error.text);
	struct hp_model *model = source.model;
	source.model = NULL;
	if (run->image) {
		hp_image_free(run->image);
		*run->image = source.image;
		source.image = (struct hp_image){ NULL, 0 };
	}
	source_free(&source);
	return model;
}

static bool has_figures(const struct hp_model *model)
{
	return hp_model_has_calls(model) || model->memory.mode != HP_ALLOC_NONE ||
	       hp_cpu_has_samples(&model->cpu) || model->entries.count ||
	       hp_threads_total(&model->threads) > 1;
}

/*
 * Whether what a process did before it executed another program is worth showing. What a shell allocates, reads and writes between
 * fork and exec is not.
 */
static bool is_worth(const struct hp_model *model, const struct hp_found *found)
{
	return hp_model_has_calls(model) || hp_cpu_has_samples(&model->cpu) ||
	       (!found->is_forked && has_figures(model));
}

struct hp_model *run_segment(const struct run_source *source, size_t at,
			     const struct hp_processes *processes)
{
	const struct hp_found *found = &source->list->items[at];
	struct hp_exit exit = { .clean = true, .status = -1 };
	bool replaced = hp_found_is_replaced(source->list, at);
	const struct hp_process *ended = replaced ? NULL : find_ended(processes, found);
	struct hp_model *model = run_again_take(source->again, found);

	if (ended)
		exit = exit_of(found, ended);
	if (model && (ended || replaced))
		model->exit = exit;
	if (!model)
		model = read_model(source, found, ended || replaced ? &exit : NULL);
	if (!model)
		return NULL;

	if (ended)
		add_known(model, found, ended, processes);
	if (!replaced && is_child(source, found->pid))
		note_never_started(model);
	if (source->measured)
		complete(model, found->executable, source->measured);
	if (replaced && !is_worth(model, found)) {
		hp_model_free(model);
		return NULL;
	}
	run_again_note(source->again, found->path, model);
	return model;
}

/* ---- all of them ---- */

/* Whether this is the shell that only started the program; not a shell that runs a script as the program. */
static bool is_shell(const struct run_source *source, size_t at)
{
	const struct hp_found *found = &source->list->items[at];
	const char *shell = source->measured ? source->measured->shell : NULL;

	return shell && is_child(source, found->pid) && strcmp(found->executable, shell) == 0 &&
	       !hp_found_has_replaced(source->list, at);
}

/* Processes that measured nothing are not worth a report, unless there is no other. */
static void drop_empty(struct models *models)
{
	size_t kept = 0;

	for (size_t i = 0; i < models->count; i++) {
		if (has_figures(models->items[i]) || (kept == 0 && i + 1 == models->count))
			models->items[kept++] = models->items[i];
		else
			hp_model_free(models->items[i]);
	}
	models->count = kept;
}

/* An empty model, with only the name of the program. */
static struct hp_model *empty_model(const char *program, const struct child *child)
{
	struct hp_model *model = calloc(1, sizeof(*model));

	if (!model)
		return NULL;
	model->program = strdup(hp_file_name(program));
	model->caller = strdup(hp_file_name(program));
	model->pid = (uint32_t)child->pid;
	model->processes = 1;
	model->elapsed_ns = child->elapsed_ns;
	model->start_unix_ns = child->start_unix_ns;
	model->exit = exit_of_child(child);
	hp_machine_read(&model->machine);
	hp_provenance_read(&model->provenance);
	return model;
}

/* Find the file of a program; false for a script, because it is not known what it starts. */
static bool find_file(const char *program, char path[PATH_MAX])
{
	struct hp_elf file;
	bool is_program = program_find(program, path) && hp_elf_open(&file, path) == 0;

	if (is_program)
		hp_elf_close(&file);
	return is_program;
}

struct hp_model *run_model_of_nothing(const struct run_source *source)
{
	struct hp_model *model = empty_model(source->program, &source->measured->child);
	char path[PATH_MAX];

	if (model)
		complete(model, find_file(source->program, path) ? path : NULL, source->measured);
	return model;
}

bool run_segments(const struct run_source *source, const struct hp_processes *processes,
		  struct models *models)
{
	const struct hp_found_list *list = source->list;

	for (size_t at = list->count; at-- > 0;) {
		if (!run_has(source, &list->items[at]) || is_shell(source, at))
			continue;
		struct hp_model *model = run_segment(source, at, processes);
		if (model && !models_append(models, model))
			return false;
	}
	drop_empty(models);
	return true;
}

bool models_append(struct models *models, struct hp_model *model)
{
	struct hp_model **items = reallocarray(models->items, models->count + 1, sizeof(*items));

	if (!items) {
		hp_model_free(model);
		return false;
	}
	items[models->count++] = model;
	models->items = items;
	return true;
}

void models_free(struct models *models)
{
	for (size_t i = 0; i < models->count; i++)
		hp_model_free(models->items[i]);
	free(models->items);
	*models = (struct models){ NULL, 0 };
}
