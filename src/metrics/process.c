/* SPDX-License-Identifier: MIT */
/* Families about programs as a whole: their time, memory and threads, and what the profiler took and lost. */
#include "process.h"

#include "hotpath/version.h"
#include "segment.h"

#include <stdio.h>

/* ---- figures ---- */

/* Each returns whether it is known. */
typedef bool (*figure_fn)(const struct hp_model *model, struct hp_sample *sample);

#define DEFINE_FIGURE(name, is_known, number)                                                      \
	static bool name(const struct hp_model *model, struct hp_sample *sample)                   \
	{                                                                                          \
		sample->whole = (number);                                                          \
		return (is_known);                                                                 \
	}

#define MEMORY model->memory

DEFINE_FIGURE(started, model->start_unix_ns, model->start_unix_ns)
DEFINE_FIGURE(elapsed, true, model->elapsed_ns)
DEFINE_FIGURE(is_running, true, model->exit.running)
DEFINE_FIGURE(processes, true, model->processes)
DEFINE_FIGURE(threads_started, hp_threads_total(&model->threads), hp_threads_total(&model->threads))
DEFINE_FIGURE(resident, MEMORY.rss_bytes, MEMORY.rss_bytes)
DEFINE_FIGURE(peak_resident, MEMORY.peak_rss_bytes, MEMORY.peak_rss_bytes)
DEFINE_FIGURE(allocated, MEMORY.mode != HP_ALLOC_NONE, MEMORY.allocated_bytes)
DEFINE_FIGURE(allocations, MEMORY.mode != HP_ALLOC_NONE, MEMORY.count)
DEFINE_FIGURE(freed, MEMORY.mode >= HP_ALLOC_FREED, MEMORY.freed_bytes)
DEFINE_FIGURE(frees, MEMORY.mode >= HP_ALLOC_FREED, MEMORY.freed_count)
DEFINE_FIGURE(live, MEMORY.mode == HP_ALLOC_LIVE, MEMORY.live_bytes)
DEFINE_FIGURE(live_blocks, MEMORY.mode == HP_ALLOC_LIVE, MEMORY.live_blocks)
DEFINE_FIGURE(peak_live, MEMORY.mode == HP_ALLOC_LIVE, MEMORY.peak_bytes)
DEFINE_FIGURE(blocked, true, model->blocked.count)
DEFINE_FIGURE(profiler, true, model->estimated_ns)

static bool threads_now(const struct hp_model *model, struct hp_sample *sample)
{
	for (size_t i = 0; i < model->threads.count; i++)
		sample->whole += model->threads.items[i].tid &&
				 model->threads.items[i].state != HP_THREAD_ENDED;
	return hp_threads_total(&model->threads);
}

static bool deadlocked(const struct hp_model *model, struct hp_sample *sample)
{
	for (size_t i = 0; i < model->blocked.count; i++)
		sample->whole += model->blocked.items[i].is_deadlocked;
	return true;
}

/* The sum of all threads, those that have ended included. */
static struct hp_thread all_threads(const struct hp_model *model)
{
	struct hp_thread sum = model->threads.rest;

	for (size_t i = 0; i < model->threads.count; i++)
		hp_thread_add(&sum, &model->threads.items[i]);
	return sum;
}

static bool user_time(const struct hp_model *model, struct hp_sample *sample)
{
	struct hp_thread sum = all_threads(model);

	sample->whole = sum.user_ns;
	return sum.has_times;
}

static bool system_time(const struct hp_model *model, struct hp_sample *sample)
{
	struct hp_thread sum = all_threads(model);

	sample->whole = sum.system_ns;
	return sum.has_times;
}

/* ---- families ---- */

/* Lines of one name follow each other. */
static const struct {
	const char *name;
	const char *help;
	enum hp_family_type type;
	enum hp_family_unit unit;
	figure_fn figure;
	const char *more;
} figures[] = {
	{ "start_time", "When recording began, in seconds since 1970.", HP_FAMILY_GAUGE,
	  HP_UNIT_SECONDS, started },
	{ "uptime", "Time since recording began.", HP_FAMILY_GAUGE, HP_UNIT_SECONDS, elapsed },
	{ "running", "Whether the program runs.", HP_FAMILY_GAUGE, HP_UNIT_NONE, is_running },
	{ "processes", "Processes that the figures are the sum of.", HP_FAMILY_GAUGE, HP_UNIT_NONE,
	  processes },
	{ "threads", "Threads that run.", HP_FAMILY_GAUGE, HP_UNIT_NONE, threads_now },
	{ "threads_started", "Threads that were seen.", HP_FAMILY_COUNTER, HP_UNIT_NONE,
	  threads_started },
	{ "cpu", "CPU time of all threads.", HP_FAMILY_COUNTER, HP_UNIT_SECONDS, user_time,
	  "mode=\"user\"" },
	{ "cpu", "CPU time of all threads.", HP_FAMILY_COUNTER, HP_UNIT_SECONDS, system_time,
	  "mode=\"sys\"" },
	{ "rss", "Resident memory.", HP_FAMILY_GAUGE, HP_UNIT_BYTES, resident },
	{ "peak_rss", "The most resident memory since the start.", HP_FAMILY_GAUGE, HP_UNIT_BYTES,
	  peak_resident },
	{ "alloc", "Bytes that were allocated.", HP_FAMILY_COUNTER, HP_UNIT_BYTES, allocated },
	{ "allocs", "Blocks that were allocated.", HP_FAMILY_COUNTER, HP_UNIT_NONE, allocations },
	{ "dealloc", "Bytes that were freed.", HP_FAMILY_COUNTER, HP_UNIT_BYTES, freed },
	{ "deallocs", "Blocks that were freed.", HP_FAMILY_COUNTER, HP_UNIT_NONE, frees },
	{ "live", "Bytes that are allocated.", HP_FAMILY_GAUGE, HP_UNIT_BYTES, live },
	{ "live_blocks", "Blocks that are allocated.", HP_FAMILY_GAUGE, HP_UNIT_NONE, live_blocks },
	{ "peak_live", "The most bytes that were allocated at one time.", HP_FAMILY_GAUGE,
	  HP_UNIT_BYTES, peak_live },
	{ "blocked_threads", "Threads that wait for something that is recorded.", HP_FAMILY_GAUGE,
	  HP_UNIT_NONE, blocked },
	{ "deadlocked_threads", "Threads that wait for each other, and for ever.", HP_FAMILY_GAUGE,
	  HP_UNIT_NONE, deadlocked },
	{ "profiler", "What measuring took, over all threads.", HP_FAMILY_COUNTER, HP_UNIT_SECONDS,
	  profiler },
};

static struct hp_family family_of(const char *name, const char *help, enum hp_family_type type,
				  enum hp_family_unit unit)
{
	struct hp_family family = { .type = type };

	hp_family_set_name(&family, "", name, unit);
	snprintf(family.help, sizeof(family.help), "%s", help);
	return family;
}

static void put_figure(struct hp_exposition *exposition, size_t nth,
		       const struct hp_metrics_source *sources, size_t count)
{
	struct hp_family family = family_of(figures[nth].name, figures[nth].help, figures[nth].type,
					    figures[nth].unit);

	for (size_t i = 0; i < count; i++) {
		struct hp_sample sample = { 0 };
		if (!figures[nth].figure(sources[i].model, &sample))
			continue;
		hp_exposition_begin(exposition, &family);
		hp_exposition_sample(exposition, sources[i].labels, figures[nth].more, &sample);
	}
}

static const char *const reasons[] = {
#define COUNTER(name, sentence) #name,
#include "counters.def"
#undef COUNTER
};

static void put_dropped(struct hp_exposition *exposition, const struct hp_metrics_source *sources,
			size_t count)
{
	struct hp_family family = family_of("dropped",
					    "What was lost or could not be measured, by reason.",
					    HP_FAMILY_COUNTER, HP_UNIT_NONE);
	char reason[64];

	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < HP_COUNTERS; j++) {
			struct hp_sample sample = { .whole = sources[i].model->dropped[j] };
			snprintf(reason, sizeof(reason), "reason=\"%s\"", reasons[j]);
			hp_exposition_begin(exposition, &family);
			hp_exposition_sample(exposition, sources[i].labels, reason, &sample);
		}
	}
}

/* ---- information ---- */

static void put_build(struct hp_exposition *exposition)
{
	struct hp_family family = family_of("build",
					    "The version of hotpath that reads the programs.",
					    HP_FAMILY_INFO, HP_UNIT_NONE);

	hp_exposition_begin(exposition, &family);
	hp_exposition_sample(exposition, "version=\"" HOTPATH_VERSION "\"", NULL,
			     &(struct hp_sample){ .whole = 1 });
}

/* Arguments are not told: there may be secrets in them. */
static void put_program(struct hp_exposition *exposition, const struct hp_metrics_source *source)
{
	struct hp_family family = family_of("program",
					    "A program, and the machine that it runs on.",
					    HP_FAMILY_INFO, HP_UNIT_NONE);
	const struct hp_machine *machine = &source->model->machine;
	struct hp_text labels = HP_TEXT_INIT;

	hp_label_put(&labels, "version", HOTPATH_VERSION);
	if (machine->arch[0])
		hp_label_put(&labels, "arch", machine->arch);
	if (machine->kernel[0])
		hp_label_put(&labels, "kernel", machine->kernel);
	hp_exposition_begin(exposition, &family);
	if (!labels.failed)
		hp_exposition_sample(exposition, source->labels, labels.bytes,
				     &(struct hp_sample){ .whole = 1 });
	exposition->text->failed |= labels.failed;
	hp_text_free(&labels);
}

void hp_metrics_put_processes(struct hp_exposition *exposition,
			      const struct hp_metrics_source *sources, size_t count)
{
	put_build(exposition);
	for (size_t i = 0; i < count; i++)
		put_program(exposition, &sources[i]);
	for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++)
		put_figure(exposition, i, sources, count);
	put_dropped(exposition, sources, count);
}
