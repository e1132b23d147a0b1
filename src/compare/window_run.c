/* SPDX-License-Identifier: MIT */
/* A run that is a window of a program which runs on. */
#include "window_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The percentile that is kept of each histogram. */
#define PERCENT 95

void hp_window_options_init(struct hp_compare_options *options)
{
	hp_compare_options_init(options);
	options->percentiles[0] = PERCENT;
	options->percentile_count = 1;
}

/* ---- less memory ---- */

/*
 * One bucket, so that the percentile comes out right. It has a new block: one that is shrunk where it is would keep the next large
 * one from its place.
 */
static void reduce_points(struct hp_points *points, uint64_t value, uint64_t count)
{
	if (!points->count)
		return;
	struct hp_point *items = malloc(sizeof(*items));

	if (items) {
		free(points->items);
		points->items = items;
	}
	points->items[0] = (struct hp_point){ value, count };
	points->count = 1;
}

static void reduce_function(struct hp_function *function)
{
	reduce_points(&function->times, hp_function_percentile(function, PERCENT), function->calls);
	for (size_t i = 0; i < HP_ALLOC_HISTOGRAMS; i++) {
		free(function->alloc.calls[i].items);
		function->alloc.calls[i] = (struct hp_points){ NULL, 0 };
	}
}

static void reduce_entry(struct hp_entry *entry)
{
	for (size_t i = 0; i < HP_ENTRY_TIMES; i++) {
		struct hp_times *times = &entry->times[i];
		reduce_points(&times->points,
			      hp_points_percentile(&times->points, times->count, times->min_ns,
						   times->max_ns, PERCENT),
			      times->count);
	}
}

static bool is_idle(const struct hp_function *function)
{
	return !hp_function_was_called(function) && !function->alloc.count &&
	       !function->alloc.inclusive_count && !function->alloc.freed_count &&
	       !function->cpu.samples && !function->cpu.inclusive_samples &&
	       !function->cpu.alloc_ns;
}

static void drop_idle_functions(struct hp_model *model)
{
	size_t kept = 0;

	for (size_t i = 0; i < model->function_count; i++) {
		struct hp_function *function = &model->functions[i];
		if (is_idle(function)) {
			hp_function_clear(function);
			continue;
		}
		model->functions[kept++] = *function;
	}
	model->function_count = kept;
	/* The list may have room for more. */
	struct hp_function *fitting = reallocarray(model->functions, kept + 1, sizeof(*fitting));
	model->functions = fitting ? fitting : model->functions;
}

/* Threads that have ended are of other windows. What they did in this one counts; how many there were since the start does not. */
static void reduce_threads(struct hp_threads *threads)
{
	size_t kept = 0;

	for (size_t i = 0; i < threads->count; i++) {
		struct hp_thread *thread = &threads->items[i];
		if (thread->state != HP_THREAD_ENDED) {
			threads->items[kept++] = *thread;
			continue;
		}
		hp_thread_add(&threads->rest, thread);
		free(thread->name);
	}
	threads->count = kept;
	threads->rest.threads = 0;
}

/* Stacks go; totals of all samples stay. */
static void drop_stacks(struct hp_cpu *cpu)
{
	struct hp_cpu kept = *cpu;

	hp_cpu_clear(cpu);
	kept.modules = NULL;
	kept.threads = NULL;
	kept.frames = NULL;
	kept.stacks = NULL;
	kept.known_frames = NULL;
	kept.known_count = 0;
	kept.module_count = kept.thread_count = kept.frame_count = kept.stack_count = 0;
	*cpu = kept;
}

/* Functions may be known by their stacks alone: those become rows first. */
static int reduce(struct hp_model *model)
{
	int failed = hp_subject_cpu.prepare(model);

	if (failed)
		return failed;
	drop_stacks(&model->cpu);
	drop_stacks(&model->waits);
	drop_stacks(&model->allocations);
	hp_processes_clear(&model->tree);
	free(model->branches);
	model->branches = NULL;
	model->branch_count = 0;
	model->has_tree = false;
	drop_idle_functions(model);
	reduce_threads(&model->threads);
	for (size_t i = 0; i < model->entries.count; i++)
		reduce_entry(&model->entries.items[i]);
	return 0;
}

/* ---- a run ---- */

/* Whether nothing happened in the window: functions were called before, and none returned in it; or none is called, and there
   were samples before. */
static bool is_without_calls(const struct hp_model *window, const struct hp_model *now)
{
	if (!hp_model_has_calls(now))
		return now->cpu.total_samples && !window->cpu.total_samples;
	for (size_t i = 0; i < window->function_count; i++)
		if (window->functions[i].calls)
			return false;
	return true;
}

static int no_memory(struct hp_error *error)
{
	snprintf(error->text, sizeof(error->text), "out of memory");
	return -ENOMEM;
}

static int make_run(struct hp_run *run, struct hp_model *model, uint64_t number,
		    struct hp_error *error)
{
	*run = (struct hp_run){ .report = { .model = model, .known = { { PERCENT }, 1 } },
				.is_window = true };
	if (reduce(model) || asprintf(&run->label, "window %" PRIu64, number) < 0)
		return no_memory(error);
	return 0;
}

int hp_window_run(struct hp_run *run, const struct hp_model *now, const struct hp_earlier *then,
		  uint64_t number, struct hp_error *error)
{
	struct hp_model *model = hp_model_since_reduced(now, then, reduce_function, error);

	if (!model)
		return -EINVAL;
	int failed = is_without_calls(model, now) ? -ENODATA : make_run(run, model, number, error);
	if (failed == -ENODATA)
		snprintf(error->text, sizeof(error->text), "no measured function was called");
	if (failed)
		hp_model_free(model);
	return failed;
}
