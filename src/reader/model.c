/* SPDX-License-Identifier: MIT */
/* Figures of functions, and several models made one. */
#include "model.h"

#include "calls/branches.h"
#include "calls/function_index.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool hp_model_has_calls(const struct hp_model *model)
{
	for (size_t i = 0; i < model->function_count; i++)
		if (hp_function_was_called(&model->functions[i]))
			return true;
	return false;
}

bool hp_model_is_empty(const struct hp_model *model)
{
	return model->memory.mode == HP_ALLOC_NONE && !hp_cpu_was_asked_for(&model->cpu) &&
	       !hp_model_has_calls(model) && !model->entries.count && !model->blocked.count;
}

/* Copy a string when there is one and its place is empty. */
static int copy_string(char **to, const char *from)
{
	if (*to || !from)
		return 0;
	*to = strdup(from);
	return *to ? 0 : -ENOMEM;
}

/* Append a copy of a row, for which there is room. The copy has no site and no trend. */
static int append_function(struct hp_model *into, const struct hp_function *from)
{
	struct hp_function *function = &into->functions[into->function_count++];

	*function = *from;
	function->id = 0;
	function->trend = NULL;
	function->name = NULL;
	function->file = NULL;
	function->module = NULL;
	function->times = (struct hp_points){ NULL, 0 };
	function->alloc = (struct hp_alloc_figures){ 0 };
	if (copy_string(&function->name, from->name) || copy_string(&function->file, from->file) ||
	    copy_string(&function->module, from->module))
		return -ENOMEM;
	int error = hp_points_merge(&function->times, &from->times);
	return error ? error : hp_alloc_figures_merge(function, from);
}

/* Add the rows of one model to another's, where there is room, and tell where each has gone. */
static int merge_rows(struct hp_model *into, const struct hp_model *from,
		      const struct hp_function_index *index, int32_t *rows)
{
	for (size_t i = 0; i < from->function_count; i++) {
		const struct hp_function *function = &from->functions[i];
		size_t *slot = hp_function_index_slot(index, into, function);
		int error = *slot ? hp_function_merge(&into->functions[*slot - 1], function)
				  : append_function(into, function);
		if (error)
			return error;
		if (!*slot)
			*slot = into->function_count;
		rows[i] = (int32_t)*slot - 1;
	}
	return 0;
}

static int merge_functions(struct hp_model *into, const struct hp_model *from, int32_t *rows)
{
	size_t room = into->function_count + from->function_count;
	if (from->function_count == 0)
		return 0;
	struct hp_function *functions = reallocarray(into->functions, room, sizeof(*functions));
	if (!functions)
		return -ENOMEM;
	into->functions = functions;

	struct hp_function_index index;
	int error = hp_function_index_open(&index, into, room);
	if (error)
		return error;
	error = merge_rows(into, from, &index, rows);
	hp_function_index_close(&index);
	return error;
}

/* Rank of an exit: of several processes, the report shows the worst. */
static int gravity(const struct hp_exit *end)
{
	if (end->signal)
		return 4;
	if (!end->clean)
		return end->running ? 2 : 3;
	return end->status > 0;
}

static void merge_figures(struct hp_model *into, const struct hp_model *from)
{
	if (into->processes == 0 || gravity(&from->exit) > gravity(&into->exit))
		into->exit = from->exit;
	if (into->processes == 0) {
		into->pid = from->pid;
		into->image = from->image;
		into->session = from->session;
		into->machine = from->machine;
		into->provenance = from->provenance;
	}
	into->processes += from->processes;
	if (from->elapsed_ns > into->elapsed_ns)
		into->elapsed_ns = from->elapsed_ns;
	if (from->own_elapsed_ns > into->own_elapsed_ns)
		into->own_elapsed_ns = from->own_elapsed_ns;
	if (into->start_unix_ns == 0 || from->start_unix_ns < into->start_unix_ns)
		into->start_unix_ns = from->start_unix_ns;
	if (from->span_ns > into->span_ns)
		into->span_ns = from->span_ns;
	into->estimated_ns += from->estimated_ns;
	into->io.counted_bytes += from->io.counted_bytes;
	into->io.has_children |= from->io.has_children;
	for (size_t i = 0; i < HP_COUNTERS; i++)
		into->dropped[i] += from->dropped[i];
}

static bool has_note(const struct hp_model *model, const char *note)
{
	for (size_t i = 0; i < model->note_count; i++)
		if (strcmp(model->notes[i], note) == 0)
			return true;
	return false;
}

void hp_model_miss(char **why, const char *format, ...)
{
	va_list arguments;

	if (*why)
		return;
	va_start(arguments, format);
	if (vasprintf(why, format, arguments) < 0)
		*why = NULL;
	va_end(arguments);
}

static void forget(char **why)
{
	free(*why);
	*why = NULL;
}

/* Keep a reason for missing data only if it is missing in all processes. */
static int merge_missing(struct hp_model *into, const struct hp_model *from)
{
	if (copy_string(&into->missing.cpu, from->missing.cpu) ||
	    copy_string(&into->missing.alloc, from->missing.alloc) ||
	    copy_string(&into->missing.loading, from->missing.loading))
		return -ENOMEM;
	if (hp_cpu_was_asked_for(&into->cpu))
		forget(&into->missing.cpu);
	if (into->memory.mode != HP_ALLOC_NONE)
		forget(&into->missing.alloc);
	return 0;
}

bool hp_model_note(struct hp_model *model, const char *format, ...)
{
	va_list arguments;
	char *note;

	va_start(arguments, format);
	int length = vasprintf(&note, format, arguments);
	va_end(arguments);
	if (length < 0)
		return false;
	bool known = has_note(model, note);
	char **notes = known ? NULL
			     : reallocarray(model->notes, model->note_count + 1, sizeof(*notes));
	if (!notes) {
		free(note);
		return known;
	}
	model->notes = notes;
	model->notes[model->note_count++] = note;
	return true;
}

bool hp_model_add_notes(struct hp_model *into, const struct hp_model *from)
{
	bool done = true;

	for (size_t i = 0; i < from->note_count && done; i++)
		done = i + 1 == from->unnamed.note ? hp_unnamed_merge(into, from)
						   : hp_model_note(into, "%s", from->notes[i]);
	return done;
}

struct hp_process_name hp_model_process(const struct hp_model *model)
{
	return (struct hp_process_name){ model->program ? model->program : "?",
					 model->arguments ? model->arguments : "", model->title };
}

int hp_model_merge(struct hp_model *into, const struct hp_model *from)
{
	merge_figures(into, from);
	if (copy_string(&into->program, from->program) ||
	    copy_string(&into->arguments, from->arguments) ||
	    copy_string(&into->title, from->title) || copy_string(&into->caller, from->caller) ||
	    hp_metadata_merge(&into->user_metadata, &from->user_metadata))
		return -ENOMEM;
	if (!hp_model_add_notes(into, from))
		return -ENOMEM;
	int32_t *rows = calloc(from->function_count + 1, sizeof(*rows));
	int error = rows ? merge_functions(into, from, rows) : -ENOMEM;
	if (!error)
		error = hp_branches_merge(into, from, rows);
	if (!error)
		error = hp_memory_merge(&into->memory, &from->memory);
	if (!error)
		error = hp_processes_merge(&into->tree, &from->tree);
	if (!error)
		error = hp_threads_merge(&into->threads, &from->threads);
	if (!error)
		error = hp_blocked_merge(&into->blocked, &from->blocked);
	if (!error)
		error = hp_cpu_merge(&into->cpu, &from->cpu, rows);
	if (!error)
		error = hp_cpu_merge(&into->waits, &from->waits, rows);
	if (!error)
		error = hp_cpu_merge(&into->allocations, &from->allocations, rows);
	if (!error)
		error = hp_entries_merge(&into->entries, &from->entries);
	if (!error)
		error = merge_missing(into, from);
	free(rows);
	return error;
}

static void free_members(struct hp_model **members, size_t count)
{
	for (size_t i = 0; i < count; i++)
		hp_model_free(members[i]);
	free(members);
}

struct hp_model *hp_model_sum(struct hp_model **members, size_t count)
{
	struct hp_model *sum = calloc(1, sizeof(*sum));
	int error = sum ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !error; i++)
		error = hp_model_merge(sum, members[i]);
	if (error) {
		free_members(members, count);
		hp_model_free(sum);
		return NULL;
	}
	sum->members = members;
	sum->member_count = count;
	return sum;
}

void hp_function_clear(struct hp_function *function)
{
	free(function->name);
	free(function->file);
	free(function->module);
	free(function->times.items);
	hp_alloc_figures_clear(&function->alloc);
	*function = (struct hp_function){ 0 };
}

void hp_model_free(struct hp_model *model)
{
	if (!model)
		return;
	for (size_t i = 0; i < model->function_count; i++)
		hp_function_clear(&model->functions[i]);
	for (size_t i = 0; i < model->note_count; i++)
		free(model->notes[i]);
	free(model->notes);
	hp_unnamed_free(&model->unnamed);
	free(model->missing.cpu);
	free(model->missing.alloc);
	free(model->missing.loading);
	free(model->functions);
	free(model->branches);
	hp_memory_clear(&model->memory);
	hp_processes_clear(&model->tree);
	hp_processes_clear(&model->alone);
	free_members(model->members, model->member_count);
	hp_threads_clear(&model->threads);
	hp_blocked_clear(&model->blocked);
	hp_cpu_clear(&model->cpu);
	hp_cpu_clear(&model->waits);
	hp_cpu_clear(&model->allocations);
	hp_entries_clear(&model->entries);
	hp_metadata_clear(&model->user_metadata);
	free(model->program);
	free(model->arguments);
	free(model->title);
	free(model->caller);
	free(model);
}
