/* SPDX-License-Identifier: MIT */
/*
 * Reads what a run has left, as one model.
 *
 *	segments ──► models, one for each process that measured something ──► their sum
 *	register ──► processes, also those that left no segment           ──► its tree
 */
#include "run_model.h"

#include "arithmetic.h"
#include "command.h"
#include "file_name.h"
#include "fold.h"
#include "output.h"
#include "process/found_run.h"
#include "process/register.h"
#include "run_again.h"
#include "run_images.h"
#include "run_segments.h"
#include "unseen.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* ---- processes ---- */

static bool copy_name(struct hp_process *process, const char *program, const char *arguments,
		      const char *title)
{
	process->program = strdup(program);
	process->arguments = strdup(arguments);
	process->title = title ? strdup(title) : NULL;
	return process->program && process->arguments && (process->title || !title);
}

/* Append a process, with copies of its names. Returns false when memory ran out. */
static bool add_process(struct hp_processes *processes, struct hp_process process,
			const struct hp_process_name *name)
{
	if (copy_name(&process, name->program, name->arguments, name->title) &&
	    hp_processes_append(processes, process))
		return true;
	hp_process_clear(&process);
	return false;
}

static bool add_found(struct hp_processes *processes, const struct hp_found *found)
{
	struct hp_process_name name = hp_found_name(found);

	return add_process(processes,
			   (struct hp_process){ .pid = found->pid,
						.parent = found->parent_pid,
						.count = 1,
						.start_unix_ns = found->process_unix_ns },
			   &name);
}

static bool has_process(const struct hp_processes *processes, const struct hp_found *found)
{
	return hp_processes_at(processes, found->pid, found->start_unix_ns);
}

/* The program that was run, if it has told nothing of itself. */
static bool add_child(struct hp_processes *processes, const struct run_source *source)
{
	const struct child *child = &source->measured->child;
	struct hp_process_name name = { hp_file_name(source->program), "", NULL };

	return add_process(processes,
			   (struct hp_process){ .pid = (uint32_t)child->pid,
						.count = 1,
						.start_unix_ns = child->start_unix_ns },
			   &name);
}

static void complete_child(struct hp_process *process, const struct child *child)
{
	bool exited = WIFEXITED(child->wait_status);

	if (!process->has_elapsed)
		process->elapsed_ns = child->elapsed_ns;
	process->has_elapsed = true;
	if (!process->peak_rss_bytes)
		process->peak_rss_bytes = child->peak_rss_bytes;
	process->end = exited ? HP_PROCESS_EXITED : HP_PROCESS_KILLED;
	process->status = (uint32_t)(exited ? WEXITSTATUS(child->wait_status)
					    : WTERMSIG(child->wait_status));
}

/* All processes that are known, with or without a segment. */
static bool find_processes(const struct run_source *source, const struct hp_register *registered,
			   struct hp_processes *processes)
{
	const struct hp_found_list *list = source->list;
	const struct child *child = source->measured ? &source->measured->child : NULL;

	if (hp_register_processes(registered, processes))
		return false;
	for (size_t i = list->count; i-- > 0;)
		if (run_has(source, &list->items[i]) && !has_process(processes, &list->items[i]) &&
		    !add_found(processes, &list->items[i]))
			return false;
	if (!child)
		return true;
	uint32_t pid = (uint32_t)child->pid;
	if (!hp_processes_find(processes, pid) && !add_child(processes, source))
		return false;
	complete_child(hp_processes_at(processes, pid, child->start_unix_ns), child);
	return true;
}

static void set_times(struct hp_process *process, const struct hp_threads *threads)
{
	process->user_ns = threads->rest.user_ns;
	process->system_ns = threads->rest.system_ns;
	process->has_times = threads->rest.has_times;
	for (size_t i = 0; i < threads->count; i++) {
		if (!threads->items[i].has_times)
			continue;
		process->has_times = true;
		process->user_ns += threads->items[i].user_ns;
		process->system_ns += threads->items[i].system_ns;
	}
}

static void set_end(struct hp_process *process, const struct hp_exit *exit)
{
	if (exit->running) {
		process->end = HP_PROCESS_RUNNING;
	} else if (exit->signal) {
		process->end = HP_PROCESS_KILLED;
		process->status = (uint32_t)exit->signal;
	} else if (exit->status >= 0) {
		process->end = HP_PROCESS_EXITED;
		process->status = (uint32_t)exit->status;
	}
}

/* Add what a model knows of its process, unless it is known better. */
static void complete_process(struct hp_process *process, const struct hp_model *model)
{
	if (hp_cpu_was_asked_for(&model->cpu)) {
		process->is_sampled = true;
		process->samples += model->cpu.total_samples;
	}
	if (!process->has_elapsed) {
		uint64_t before = hp_minus(model->start_unix_ns, process->start_unix_ns);
		process->elapsed_ns = before + model->elapsed_ns;
		process->has_elapsed = true;
	}
	if (!process->has_times)
		set_times(process, &model->threads);
	if (!process->peak_rss_bytes)
		process->peak_rss_bytes = model->memory.peak_rss_bytes;
	if (process->end == HP_PROCESS_END_UNKNOWN)
		set_end(process, &model->exit);
}

struct hp_process run_row_of(const struct hp_model *model)
{
	struct hp_process_name name = hp_model_process(model);
	struct hp_process row = { .pid = model->pid,
				  .count = model->processes,
				  .start_unix_ns = model->start_unix_ns };

	complete_process(&row, model);
	/* The model of several processes has the whole time, and the sum of all memory. */
	if (model->processes > 1) {
		row.has_elapsed = false;
		row.peak_rss_bytes = 0;
	}
	if (!copy_name(&row, name.program, name.arguments, name.title))
		hp_process_clear(&row);
	return row;
}

bool run_add_row(struct hp_model *model)
{
	if (model->tree.count)
		return true;
	if (model->alone.count) {
		model->tree = model->alone;
		model->alone = (struct hp_processes){ NULL, 0, 0 };
		return true;
	}
	struct hp_process row = run_row_of(model);
	if (row.program && row.arguments && hp_processes_append(&model->tree, row))
		return true;
	hp_process_clear(&row);
	return false;
}

/* ---- the sum ---- */

static bool replace(char **text, const char *by)
{
	char *copy = by ? strdup(by) : NULL;

	if (by && !copy)
		return false;
	free(*text);
	*text = copy;
	return true;
}

bool run_rename(struct hp_model *model, const struct hp_process_name *name, const char *caller)
{
	return replace(&model->program, name->program) &&
	       replace(&model->arguments, name->arguments) && replace(&model->title, name->title) &&
	       replace(&model->caller, caller);
}

static struct hp_exit exit_of(const struct hp_process *process)
{
	bool exited = process->end == HP_PROCESS_EXITED, killed = process->end == HP_PROCESS_KILLED;

	return (struct hp_exit){ .running = process->end == HP_PROCESS_RUNNING,
				 .clean = exited,
				 .status = exited ? (int)process->status : -1,
				 .signal = killed ? (int)process->status : 0 };
}

/* A run is called after the process that it began with, and ends as that does. */
static bool describe(struct hp_model *run, uint64_t elapsed_ns)
{
	const struct hp_process *root = &run->tree.items[0];
	const struct hp_process_name name = { root->program, root->arguments, root->title };

	run->pid = root->pid;
	run->exit = exit_of(root);
	run->elapsed_ns = elapsed_ns;
	run->start_unix_ns = root->start_unix_ns;
	return run_rename(run, &name, root->program);
}

/*
 * The processes become the model's. A shell that only starts a command is not what is measured: then the run is called as
 * its first member.
 */
static bool add_tree(struct hp_model *run, struct hp_processes *processes, bool has_shell)
{
	uint64_t elapsed_ns = hp_processes_elapsed_ns(processes);
	bool done = hp_processes_arrange(processes) == 0;

	run->processes = (uint32_t)hp_processes_total(processes);
	run->tree = *processes;
	*processes = (struct hp_processes){ NULL, 0, 0 };
	return done && (has_shell || describe(run, elapsed_ns));
}

/* Processes whose segments are gone, as they were when these were read. */
static bool add_folded(struct hp_processes *processes, struct fold *fold)
{
	for (size_t i = 0; i < fold->rows.count; i++) {
		struct hp_process *row = &fold->rows.items[i];
		struct hp_process *known = hp_processes_at(processes, row->pid, row->start_unix_ns);
		if (known) {
			known->samples += row->samples;
			known->is_sampled |= row->is_sampled;
			continue;
		}
		if (!hp_processes_append(processes, *row))
			return false;
		*row = (struct hp_process){ .program = NULL };
	}
	return true;
}

/* What was folded becomes the first members. */
static void take_models(struct models *models, struct fold *fold)
{
	*models = fold->models;
	fold->models = (struct models){ NULL, 0 };
}

/* Rows get what segments tell, if these are there; other rows are complete. How a process ended, its last program tells. */
static void complete_processes(struct hp_processes *processes, const struct models *models,
			       size_t folded)
{
	for (size_t i = models->count; i-- > folded;) {
		const struct hp_model *model = models->items[i];
		struct hp_process *process = hp_processes_at(processes, model->pid,
							     model->start_unix_ns);
		if (process)
			complete_process(process, model);
	}
}

/* Of one process alone, the sum is its model. */
static struct hp_model *sum_models(struct models *models, bool is_alone)
{
	struct hp_model *sum = is_alone ? models->items[0]
					: hp_model_sum(models->items, models->count);

	if (is_alone)
		free(models->items);
	*models = (struct models){ NULL, 0 };
	if (!sum || is_alone || images_describe(sum))
		return sum;
	hp_model_free(sum);
	return NULL;
}

/* One process alone, of which all is measured: it has not executed a program that could not be. */
static bool is_one(const struct models *models, const struct hp_processes *processes)
{
	if (processes->count > 1 || models->count > 1)
		return false;
	return !processes->count || !models->count ||
	       strcmp(processes->items[0].program, models->items[0]->program) == 0;
}

static struct hp_model *sum_up(const struct run_source *source, struct models *models,
			       struct hp_processes *processes)
{
	bool is_alone = is_one(models, processes);
	bool has_shell = source->measured && source->measured->shell;
	struct hp_model *nothing = models->count == 0 && source->measured
					   ? run_model_of_nothing(source)
					   : NULL;
	if ((nothing && !models_append(models, nothing)) || !models->count)
		return NULL;

	struct hp_model *run = sum_models(models, is_alone);
	if (run && is_alone) {
		run->alone = *processes;
		*processes = (struct hp_processes){ NULL, 0, 0 };
	}
	if (run && !is_alone && !add_tree(run, processes, has_shell)) {
		hp_model_free(run);
		return NULL;
	}
	return run;
}

/* A segment could not be read, and a line has said why. */
static bool has_several(const struct run_source *source)
{
	const struct hp_found *found = hp_found_run(source->list, source->run);

	return !found || hp_found_has_others(source->list, found);
}

static struct hp_model *read_run(const struct run_source *source,
				 const struct hp_register *registered)
{
	struct fold fold = { .rows = { NULL, 0, 0 } };
	struct hp_processes processes = { NULL, 0, 0 };
	struct models models;
	struct hp_model *run = NULL;
	struct fold *folded = source->fold ? source->fold : &fold;
	/* No model means no memory, unless all was read and nothing was there. */
	bool is_there = true;

	if (!source->fold)
		fold_load(&fold, source->run);
	take_models(&models, folded);
	size_t folded_count = models.count;
	if (find_processes(source, registered, &processes) && add_folded(&processes, folded) &&
	    (folded_count || run_again_take_gone(source->again, source->list, &models)) &&
	    run_segments(source, &processes, &models)) {
		images_take_apart(&processes, &models, folded_count);
		complete_processes(&processes, &models, folded_count);
		is_there = models.count || source->measured;
		run = sum_up(source, &models, &processes);
	}
	if (!run && is_there)
		complain("out of memory");
	else if (!run && has_several(source))
		complain("no segment of run %.40s can be read", source->run);
	fold_clear(&fold);
	models_free(&models);
	hp_processes_clear(&processes);
	return run;
}

struct hp_model *run_model(const struct run_source *source)
{
	struct hp_register registered;
	struct hp_model *run = NULL;

	if (hp_register_load(source->run, &registered) == 0)
		run = read_run(source, &registered);
	else
		complain("out of memory");
	if (run)
		unseen_note(run, &registered);
	hp_register_free(&registered);
	return run;
}

bool run_began_with(const char *run, uint32_t pid)
{
	struct hp_processes processes = { NULL, 0, 0 };
	int failed = hp_register_read(run, &processes);
	bool did = failed || !processes.count || processes.items[0].pid == pid;

	hp_processes_clear(&processes);
	return did;
}

struct hp_model *run_process(const struct run_source *source, const struct hp_found *found)
{
	struct hp_processes processes = { NULL, 0, 0 };
	struct hp_model *model = NULL;

	if (hp_register_read(source->run, &processes) == 0)
		model = run_segment(source, (size_t)(found - source->list->items), &processes);
	else
		complain("out of memory");
	hp_processes_clear(&processes);
	return model;
}

struct hp_model *run_images(const struct run_source *source, const struct hp_found *found)
{
	struct hp_model *run = run_model(source);
	char pid[16];

	snprintf(pid, sizeof(pid), "%" PRIu32, found->pid);
	return run ? run_choose(run, pid) : NULL;
}

/* ---- a part of it ---- */

/* What the user means by a number or a name. */
struct wanted {
	uint32_t pid;
	const char *program;
};

static bool is_wanted(const struct wanted *wanted, const struct hp_model *model)
{
	struct hp_process_name name = hp_model_process(model);

	return wanted->program ? hp_process_is(&name, wanted->program) : model->pid == wanted->pid;
}

static struct wanted find_wanted(const struct hp_model *run, const char *word)
{
	struct wanted wanted = { .program = word };
	if (!hp_is_process_id(word))
		return wanted;

	unsigned long number = strtoul(word, NULL, 10);
	wanted = (struct wanted){ .pid = (uint32_t)number };
	if (number < 1 || number > run->tree.count || hp_processes_find(&run->tree, wanted.pid))
		return wanted;
	const struct hp_process *nth = &run->tree.items[number - 1];
	if (nth->count > 1)
		return (struct wanted){ .program = nth->program };
	return (struct wanted){ .pid = nth->pid };
}

char *run_lasting_word(const struct hp_model *run, const char *word)
{
	struct wanted wanted = find_wanted(run, word);
	char pid[16];

	if (wanted.program)
		return strdup(wanted.program);
	snprintf(pid, sizeof(pid), "%" PRIu32, wanted.pid);
	return strdup(pid);
}

static int no_such_process(const struct hp_model *run, const char *word,
			   const struct wanted *wanted)
{
	for (size_t i = 0; i < run->tree.count; i++) {
		const struct hp_process *process = &run->tree.items[i];
		if (wanted->program ? strcmp(process->program, wanted->program) == 0
				    : process->pid == wanted->pid)
			return complain("process '%s' has recorded nothing", word);
	}
	return complain("no process '%s' in this run; the section 'processes' lists them", word);
}

/* Take the members that are wanted out of a run. Returns how many these are. */
static size_t take_members(struct hp_model *run, const struct wanted *wanted,
			   struct hp_model **taken)
{
	size_t left = 0, count = 0;

	for (size_t i = 0; i < run->member_count; i++) {
		if (is_wanted(wanted, run->members[i]))
			taken[count++] = run->members[i];
		else
			run->members[left++] = run->members[i];
	}
	run->member_count = left;
	return count;
}

/* A run whose processes were saved together, and not one by one. */
static bool is_only_sum(const struct hp_model *run)
{
	return run->member_count == 0 && run->tree.count > 1;
}

struct hp_model *run_choose(struct hp_model *run, const char *word)
{
	if (is_only_sum(run)) {
		complain(
			"--process needs a report that --save has written: this one has all processes "
			"together");
		hp_model_free(run);
		return NULL;
	}
	struct wanted wanted = find_wanted(run, word);
	struct hp_model **taken = calloc(run->member_count + 1, sizeof(struct hp_model *));
	if (run->member_count == 0 && is_wanted(&wanted, run)) {
		free(taken);
		hp_processes_clear(&run->tree);
		return run;
	}
	size_t count = taken ? take_members(run, &wanted, taken) : 0;

	if (!count) {
		no_such_process(run, word, &wanted);
		free(taken);
		taken = NULL;
	}
	hp_model_free(run);
	struct models models = { taken, count };
	return taken ? sum_models(&models, count == 1) : NULL;
}

static struct hp_model *copy_model(const struct hp_model *model)
{
	struct hp_model *copy = calloc(1, sizeof(*copy));

	if (copy && hp_model_merge(copy, model) == 0)
		return copy;
	hp_model_free(copy);
	return NULL;
}

/* Copies of the members that are wanted. Returns false when memory ran out. */
static bool copy_members(const struct hp_model *run, const struct wanted *wanted,
			 struct models *copies)
{
	bool is_alone = run->member_count == 0;
	size_t count = is_alone ? 1 : run->member_count;

	for (size_t i = 0; i < count; i++) {
		const struct hp_model *member = is_alone ? run : run->members[i];
		struct hp_model *copy = is_wanted(wanted, member) ? copy_model(member) : NULL;
		if (is_wanted(wanted, member) && (!copy || !models_append(copies, copy)))
			return false;
	}
	return true;
}

struct hp_model *run_choose_copy(const struct hp_model *run, const char *word)
{
	struct wanted wanted = find_wanted(run, word);
	struct models copies = { NULL, 0 };
	bool is_copied = copy_members(run, &wanted, &copies);
	bool is_there = copies.count || !is_copied;
	struct hp_model *part = is_copied && copies.count ? sum_models(&copies, copies.count == 1)
							  : NULL;

	if (!is_there)
		no_such_process(run, word, &wanted);
	else if (!part)
		complain("out of memory");
	models_free(&copies);
	return part;
}
