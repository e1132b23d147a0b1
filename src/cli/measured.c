/* SPDX-License-Identifier: MIT */
/* Runs a program to its end under measurement, and reads the segments that it leaves. */
#include "measured.h"

#include "command.h"
#include "elf_file.h"
#include "file_name.h"
#include "format.h"
#include "missing.h"
#include "obstacle.h"
#include "output.h"
#include "probes.h"
#include "program_path.h"
#include "source.h"
#include "unseen.h"
#include "waits_mode.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	/* Segments of ended programs that are kept besides those of this run. */
	KEEP_ENDED = 32,
	/* Samples a second. */
	RATE_MAX = 10000,
};

/* The mode is passed in the environment, because the program may be linked with the probe. */
static int set_alloc(const char *command, const char *mode, enum hp_alloc_mode *found)
{
	if (hp_alloc_mode_find(mode, found) && *found != HP_ALLOC_NONE)
		return setenv("HOTPATH_ALLOC", mode, 1);
	complain("%s: --alloc: '%s' is not live, freed or count", command, mode);
	return -EINVAL;
}

static int set_waits(const char *command, const char *list)
{
	unsigned parts;

	if (hp_waits_parse(list, &parts))
		return setenv("HOTPATH_WAITS", list, 1);
	complain("%s: --waits: '%s' is not a list of " HP_WAITS_NAMES, command, list);
	return -EINVAL;
}

/* --rate implies --cpu. */
static int set_cpu(const char *command, const char *rate)
{
	int number;

	if (rate && (!hp_parse_count(rate, &number) || number < 1 || number > RATE_MAX)) {
		complain("%s: --rate: '%s' is not a number from 1 to %d", command, rate, RATE_MAX);
		return -EINVAL;
	}
	if (rate && setenv("HOTPATH_CPU_RATE", rate, 1))
		return -ENOMEM;
	return setenv("HOTPATH_CPU", "1", 1);
}

int recording_read(const struct input *input, struct recording *recording)
{
	const char *command = input->command->name;
	const char *alloc = input_option(input, "alloc"), *rate = input_option(input, "rate");
	const char *probe_list = input_option(input, "probes");
	const char *waits = input_option(input, "waits");

	*recording = (struct recording){ .cpu = rate || input_option(input, "cpu"),
					 .waits = waits != NULL };
	if ((alloc && set_alloc(command, alloc, &recording->alloc)) ||
	    (recording->cpu && set_cpu(command, rate)) || (waits && set_waits(command, waits)) ||
	    (probe_list && !probes_parse(command, probe_list, &recording->probes)))
		return STATUS_ERROR;
	return STATUS_OK;
}

/* A name that is unique among all runs on this machine. */
static void name_run(char name[HP_RUN_MAX])
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(name, HP_RUN_MAX, "%d-%lld%09ld", (int)getpid(), (long long)now.tv_sec,
		 now.tv_nsec);
}

int measured_run(char **argv, struct measured *measured)
{
	name_run(measured->run);
	measured->manner.run = measured->run;
	return run_child(argv, &measured->manner, &measured->child);
}

void measured_find(struct measured *measured)
{
	struct hp_error reason;
	/* If a folder cannot be used, the measured programs have said so already. */
	int error = hp_find_segments(&measured->list, &reason);

	if (error != -ENOMEM)
		error = hp_find_dropped(&measured->list, measured->run);
	if (error)
		complain("cannot look for segments: %s", strerror(-error));
	measured->unseen = unseen_take(measured->run);
}

static bool is_of_run(const struct measured *measured, const struct hp_found *found)
{
	return strcmp(found->run, measured->run) == 0;
}

static struct hp_exit exit_of(const struct child *child)
{
	bool exited = WIFEXITED(child->wait_status);

	return (struct hp_exit){
		.clean = exited,
		.status = exited ? WEXITSTATUS(child->wait_status) : -1,
		.signal = exited ? 0 : WTERMSIG(child->wait_status),
	};
}

/* Whether there is a newer segment of the same process: it has called exec. */
static bool was_replaced(const struct measured *measured, size_t at)
{
	const struct hp_found *items = measured->list.items;

	for (size_t i = 0; i < at; i++)
		if (items[i].pid == items[at].pid && is_of_run(measured, &items[i]))
			return true;
	return false;
}

static void add_known(struct hp_model *model, const struct hp_found *found,
		      const struct child *child)
{
	/* Only the program itself knows whether it left by exit or by _exit. */
	model->exit.clean &= found->state == HP_STATE_EXITED;
	if (!model->memory.peak_rss_bytes)
		model->memory.peak_rss_bytes = child->peak_rss_bytes;
	/* A process that only allocated has no time of a last event. */
	if (!model->exit.clean && !hp_model_has_calls(model))
		model->elapsed_ns = child->elapsed_ns;
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

static struct hp_model *read_one(const struct measured *measured, size_t at)
{
	static const struct hp_exit by_exec = { .clean = true, .status = -1 };
	const struct hp_found *found = &measured->list.items[at];
	struct hp_exit ended = exit_of(&measured->child);
	const struct hp_exit *known = NULL;
	struct hp_error error = { "" };
	struct source source = { 0 };

	if (was_replaced(measured, at))
		known = &by_exec;
	else if (found->pid == (uint32_t)measured->child.pid)
		known = &ended;
	if (source_segment(&source, found->path, found->user, known, &error))
		complain("%s", error.text);
	struct hp_model *model = source.model;
	source.model = NULL;
	source_free(&source);
	if (model && known == &ended) {
		add_known(model, found, &measured->child);
		note_never_started(model);
	}
	if (model)
		complete(model, found->executable, measured);
	/* Ignore what a shell allocates between fork and exec. */
	if (model && known == &by_exec && !hp_model_has_calls(model)) {
		hp_model_free(model);
		return NULL;
	}
	return model;
}

/* Whether this is the shell that only started the program; not a shell that runs a script as the program. */
static bool is_shell(const struct measured *measured, size_t at)
{
	const struct hp_found_list *list = &measured->list;
	const struct hp_found *found = &list->items[at];

	if (!measured->shell || found->pid != (uint32_t)measured->child.pid ||
	    strcmp(found->executable, measured->shell) != 0)
		return false;
	for (size_t i = at + 1; i < list->count; i++)
		if (list->items[i].pid == found->pid && is_of_run(measured, &list->items[i]))
			return false;
	return true;
}

static bool has_figures(const struct hp_model *model)
{
	return hp_model_has_calls(model) || model->memory.mode != HP_ALLOC_NONE ||
	       hp_cpu_has_samples(&model->cpu) || model->entries.count;
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
	model->exit = exit_of(child);
	hp_machine_read(&model->machine);
	hp_provenance_read(&model->provenance);
	return model;
}

static void add_model(struct models *models, struct hp_model *model)
{
	if (model)
		models->items[models->count++] = model;
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

static struct hp_model *model_of_nothing(const struct measured *measured, const char *program)
{
	struct hp_model *model = empty_model(program, &measured->child);
	char path[PATH_MAX];

	if (model)
		complete(model, find_file(program, path) ? path : NULL, measured);
	return model;
}

void measured_models(const struct measured *measured, const char *program, struct models *models)
{
	const struct hp_found_list *list = &measured->list;

	*models = (struct models){ calloc(list->count + 1, sizeof(struct hp_model *)), 0 };
	if (!models->items)
		return;
	for (size_t at = list->count; at-- > 0;)
		if (is_of_run(measured, &list->items[at]) && !is_shell(measured, at))
			add_model(models, read_one(measured, at));
	drop_empty(models);
	if (models->count == 0)
		add_model(models, model_of_nothing(measured, program));
	if (models->count)
		unseen_note(models->items[models->count - 1], measured->unseen);
}

void measured_prune(const struct measured *measured)
{
	unsigned ended = 0;

	for (size_t i = 0; i < measured->list.count; i++) {
		const struct hp_found *found = &measured->list.items[i];
		if (found->live)
			continue;
		/* Empty segments of this run are removed. */
		if (is_of_run(measured, found) ? found->is_empty : ended++ >= KEEP_ENDED)
			hp_found_remove(found);
	}
}

void measured_remove(const struct measured *measured)
{
	for (size_t i = 0; i < measured->list.count; i++)
		if (is_of_run(measured, &measured->list.items[i]))
			hp_found_remove(&measured->list.items[i]);
}

/*
 * Whether a run was made by this process at or after the first one: names end with a time of fixed width, so they
 * sort by time.
 */
static bool is_since(const char *run, const char *first)
{
	size_t process = strcspn(first, "-") + 1;

	return strncmp(run, first, process) == 0 && strcmp(run, first) >= 0;
}

void measured_remove_since(const char *first)
{
	struct hp_found_list list;
	struct hp_error ignored;

	/* On failure, the list has what was found before. */
	(void)hp_find_segments(&list, &ignored);
	for (size_t i = 0; i < list.count; i++)
		if (is_since(list.items[i].run, first))
			hp_found_remove(&list.items[i]);
	hp_found_list_free(&list);
}

void measured_free(struct measured *measured)
{
	hp_found_list_free(&measured->list);
	measured->list = (struct hp_found_list){ NULL, 0 };
	free(measured->unseen);
	measured->unseen = NULL;
}

/* Into the first one. */
void models_merge(struct models *models)
{
	for (size_t i = 1; i < models->count; i++) {
		if (hp_model_merge(models->items[0], models->items[i]))
			complain("out of memory: the report is incomplete");
		hp_model_free(models->items[i]);
	}
	if (models->count > 1)
		models->count = 1;
}

void models_free(struct models *models)
{
	for (size_t i = 0; i < models->count; i++)
		hp_model_free(models->items[i]);
	free(models->items);
}
