/* SPDX-License-Identifier: MIT */
/* The whole program, as one row. */
#include "figures.h"

static double elapsed(const struct hp_run *run, size_t at, double percent)
{
	const struct hp_model *model = run->report.model;
	/* Reports of older versions only have that. */
	uint64_t ns = model->own_elapsed_ns ? model->own_elapsed_ns : model->elapsed_ns;

	(void)at, (void)percent;
	return hp_known_if(ns, (double)ns);
}

/* CPU time of all threads whose times are known. */
static double cpu(const struct hp_run *run, size_t at, double percent)
{
	uint64_t ns = hp_threads_cpu_ns(&run->report.model->threads);

	(void)at, (void)percent;
	return hp_known_if(ns, (double)ns);
}

static double peak_rss(const struct hp_run *run, size_t at, double percent)
{
	uint64_t bytes = run->report.model->memory.peak_rss_bytes;

	(void)at, (void)percent;
	return hp_known_if(bytes, (double)bytes);
}

static double alloc_count(const struct hp_run *run, size_t at, double percent)
{
	const struct hp_memory *memory = &run->report.model->memory;

	(void)at, (void)percent;
	return hp_known_if(hp_knows_allocations(memory), (double)memory->count);
}

static double alloc_bytes(const struct hp_run *run, size_t at, double percent)
{
	const struct hp_memory *memory = &run->report.model->memory;

	(void)at, (void)percent;
	return hp_known_if(hp_knows_allocations(memory), (double)memory->bytes);
}

/* Whether blocks were tracked, and the report has them: as soon as anything is allocated there is a peak. */
static bool follows_blocks(const struct hp_memory *memory)
{
	return memory->mode == HP_ALLOC_LIVE && (memory->peak_bytes || !memory->bytes);
}

static double live_bytes(const struct hp_run *run, size_t at, double percent)
{
	const struct hp_memory *memory = &run->report.model->memory;

	(void)at, (void)percent;
	return hp_known_if(follows_blocks(memory), (double)memory->live_bytes);
}

static double live_blocks(const struct hp_run *run, size_t at, double percent)
{
	const struct hp_memory *memory = &run->report.model->memory;

	(void)at, (void)percent;
	return hp_known_if(follows_blocks(memory), (double)memory->live_blocks);
}

static double peak_heap(const struct hp_run *run, size_t at, double percent)
{
	const struct hp_memory *memory = &run->report.model->memory;

	(void)at, (void)percent;
	return hp_known_if(follows_blocks(memory), (double)memory->peak_bytes);
}

static const struct hp_metric metrics[] = {
	HP_METRIC("elapsed", "Elapsed", TIME, NS, elapsed, .decides = true, .is_of_runs = true),
	HP_METRIC("cpu", "CPU", TIME, NS, cpu, .rank = 1, .per = HP_PER_SECOND),
	HP_METRIC("program_alloc_count", "Allocations", EXACT, COUNT, alloc_count, .is_alloc = true,
		  .rank = 2, .per = HP_PER_SECOND),
	HP_METRIC("program_alloc_bytes", "Allocated", EXACT, BYTES, alloc_bytes, .is_alloc = true,
		  .rank = 3, .per = HP_PER_SECOND),
	HP_METRIC("peak_rss", "Peak RSS", LEVEL, BYTES, peak_rss, .rank = 4),
	HP_METRIC("peak_heap", "Peak heap", LEVEL, BYTES, peak_heap, .rank = 5),
	HP_METRIC("program_live_blocks", "Not freed", EXACT, COUNT, live_blocks, .rank = 6),
	HP_METRIC("program_live_bytes", "Bytes not freed", EXACT, BYTES, live_bytes, .rank = 7),
	HP_METRICS_END,
};

static bool is_recorded(const struct hp_model *model)
{
	(void)model;
	return true;
}

static size_t count(const struct hp_model *model)
{
	(void)model;
	return 1;
}

static bool get(const struct hp_model *model, size_t at, struct hp_subject_row *row)
{
	(void)at;
	row->name = model->program ? model->program : "?";
	row->is_program = true;
	row->share = -1;
	return true;
}

const struct hp_subject hp_subject_program = {
	.name = "program",
	.title = "program",
	.noun = "program",
	.metrics = metrics,
	.order = 0,
	.is_recorded = is_recorded,
	.count = count,
	.get = get,
};
