/* SPDX-License-Identifier: MIT */
/* Threads, by their names: those of the same name do the same work. */
#include "figures.h"
#include "function_row.h"

#include <string.h>

/* As much of a name as the kernel keeps. */
enum { NAME_MAX_LENGTH = 15 };

/* The sum of ended threads comes last. */
static const struct hp_thread *thread_of(const struct hp_model *model, size_t at)
{
	const struct hp_threads *threads = &model->threads;

	return at < threads->count ? &threads->items[at] : &threads->rest;
}

static double cpu(const struct hp_run *run, size_t at, double percent)
{
	const struct hp_thread *thread = thread_of(run->report.model, at);

	(void)percent;
	return hp_known_if(thread->has_times, (double)hp_thread_cpu_ns(thread));
}

static double user(const struct hp_run *run, size_t at, double percent)
{
	const struct hp_thread *thread = thread_of(run->report.model, at);

	(void)percent;
	return hp_known_if(thread->has_times, (double)thread->user_ns);
}

static double in_system(const struct hp_run *run, size_t at, double percent)
{
	const struct hp_thread *thread = thread_of(run->report.model, at);

	(void)percent;
	return hp_known_if(thread->has_times, (double)thread->system_ns);
}

HP_FIGURE(threads, (double)thread_of(run->report.model, at)->threads)

static double allocated(const struct hp_run *run, size_t at, double percent)
{
	const struct hp_model *model = run->report.model;

	(void)percent;
	return hp_known_if(model->memory.mode != HP_ALLOC_NONE,
			   (double)thread_of(model, at)->allocated_bytes);
}

static bool has_threads(const struct hp_model *model)
{
	return model->threads.count || model->threads.rest.threads;
}

static size_t count(const struct hp_model *model)
{
	return model->threads.count + 1;
}

/* An unnamed thread has the name of the program, or the name it was started with. */
static bool is_unnamed(const struct hp_model *model, const char *name)
{
	struct hp_process_name process = hp_model_process(model);

	return strncmp(name, hp_file_name(process.program), NAME_MAX_LENGTH) == 0 ||
	       (hp_process_has_title(&process) &&
		strncmp(name, hp_file_name(process.title), NAME_MAX_LENGTH) == 0);
}

static bool get(const struct hp_model *model, size_t at, struct hp_subject_row *row)
{
	const struct hp_thread *thread = thread_of(model, at);

	row->name = thread->name ? thread->name : "<ended>";
	row->is_program = thread->name && is_unnamed(model, thread->name);
	row->share = -1;
	return at < model->threads.count || thread->threads || thread->allocated_bytes;
}

static const struct hp_metric metrics[] = {
	HP_METRIC("threads", "Threads", EXACT, COUNT, threads, .rank = 1),
	HP_METRIC("thread_cpu", "CPU", TIME, NS, cpu, .decides = true),
	HP_METRIC("thread_user", "User", TIME, NS, user, .rank = 3),
	HP_METRIC("thread_system", "System", TIME, NS, in_system, .rank = 3),
	HP_METRIC("thread_alloc_bytes", "Allocated", EXACT, BYTES, allocated, .is_alloc = true,
		  .rank = 2),
	HP_METRICS_END,
};

const struct hp_subject hp_subject_threads = {
	.name = "threads",
	.title = "threads",
	.noun = "thread",
	.rows = "threads",
	.how = ": save it with --report all",
	.needs = &hp_subject_alloc,
	.metrics = metrics,
	.order = 100,
	.adds_up = true,
	.is_recorded = has_threads,
	.count = count,
	.get = get,
};
