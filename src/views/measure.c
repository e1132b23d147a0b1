/* SPDX-License-Identifier: MIT */
/* A measure is what a table of functions shows: time, allocated bytes or blocks, or CPU time. */
#include "measure.h"

static double percent_of(uint64_t part, uint64_t whole)
{
	return whole ? (double)part * 100 / (double)whole : 0;
}

uint64_t hp_measure_rest(const struct hp_measure *measure, const struct hp_model *model,
			 bool exclusive)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < model->function_count; i++) {
		const struct hp_function *function = &model->functions[i];
		if (!function->is_caller && measure->has_row(function))
			sum += measure->total(function, exclusive);
	}
	return sum;
}

double hp_measure_share(const struct hp_measure *measure, const struct hp_model *model,
			const struct hp_function *function, bool exclusive, uint64_t whole)
{
	return whole ? percent_of(measure->total(function, exclusive), whole)
		     : measure->share(model, function, exclusive);
}

/* ---- time ---- */

static bool was_called(const struct hp_function *function)
{
	return function->calls || function->open;
}

static uint64_t time_total(const struct hp_function *function, bool exclusive)
{
	return exclusive ? function->self_ns : function->total_ns;
}

static uint64_t time_average(const struct hp_function *function, bool exclusive)
{
	if (exclusive)
		return hp_function_self_average(function);
	return hp_function_average(function);
}

static uint64_t time_percentile(const struct hp_function *function, bool exclusive, double percent)
{
	(void)exclusive;
	return hp_function_percentile(function, percent);
}

static double time_share(const struct hp_model *model, const struct hp_function *function,
			 bool exclusive)
{
	/*
	 * In merged models the callers are added up, but elapsed_ns is that of the longest: their share may exceed
	 * 100 %.
	 */
	if (function->is_caller && !exclusive && model->processes <= 1)
		return 100;
	return percent_of(time_total(function, exclusive), model->elapsed_ns);
}

const struct hp_measure hp_measure_time = {
	.has_row = was_called,
	.total = time_total,
	.average = time_average,
	.percentile = time_percentile,
	.share = time_share,
	.format = hp_format_duration,
	.shown = HP_SHOWN_TIME,
	.has_caller = true,
	.of_whole_calls = true,
};

/* ---- allocations ---- */

/* Functions that were called but did not allocate have a row too, for readers of JSON. */
static bool was_called_or_allocated(const struct hp_function *function)
{
	return was_called(function) || function->alloc.count || function->alloc.freed_count;
}

static uint64_t mean(const struct hp_function *function, uint64_t total)
{
	uint64_t calls = function->kind == HP_SITE_CALL ? function->alloc.count : function->calls;

	return calls ? total / calls + (total % calls >= calls - calls / 2) : 0;
}

static uint64_t bytes_total(const struct hp_function *function, bool exclusive)
{
	return exclusive ? function->alloc.bytes : function->alloc.inclusive_bytes;
}

static uint64_t bytes_average(const struct hp_function *function, bool exclusive)
{
	uint64_t nested = exclusive ? 0 : function->alloc.nested_bytes;

	return mean(function, bytes_total(function, exclusive) + nested);
}

static uint64_t bytes_percentile(const struct hp_function *function, bool exclusive, double percent)
{
	return hp_alloc_percentile(&function->alloc, function->calls,
				   exclusive ? HP_ALLOC_BYTES : HP_ALLOC_INCLUSIVE_BYTES, percent);
}

static double bytes_share(const struct hp_model *model, const struct hp_function *function,
			  bool exclusive)
{
	return percent_of(bytes_total(function, exclusive), model->memory.bytes);
}

const struct hp_measure hp_measure_bytes = {
	.has_row = was_called_or_allocated,
	.total = bytes_total,
	.average = bytes_average,
	.percentile = bytes_percentile,
	.share = bytes_share,
	.format = hp_format_bytes,
	.shown = HP_SHOWN_ALLOC,
	.has_caller = true,
	.zero_is_nothing = true,
};

static uint64_t count_total(const struct hp_function *function, bool exclusive)
{
	return exclusive ? function->alloc.count : function->alloc.inclusive_count;
}

static uint64_t count_average(const struct hp_function *function, bool exclusive)
{
	uint64_t nested = exclusive ? 0 : function->alloc.nested_count;

	return mean(function, count_total(function, exclusive) + nested);
}

static uint64_t count_percentile(const struct hp_function *function, bool exclusive, double percent)
{
	return hp_alloc_percentile(&function->alloc, function->calls,
				   exclusive ? HP_ALLOC_BLOCKS : HP_ALLOC_INCLUSIVE_BLOCKS,
				   percent);
}

static double count_share(const struct hp_model *model, const struct hp_function *function,
			  bool exclusive)
{
	return percent_of(count_total(function, exclusive), model->memory.count);
}

const struct hp_measure hp_measure_count = {
	.has_row = was_called_or_allocated,
	.total = count_total,
	.average = count_average,
	.percentile = count_percentile,
	.share = count_share,
	.format = hp_format_count,
	.shown = HP_SHOWN_ALLOC,
	.has_caller = true,
	.zero_is_nothing = true,
};

/* ---- CPU time ---- */

static bool was_seen(const struct hp_function *function)
{
	const struct hp_cpu_figures *cpu = &function->cpu;

	return cpu->samples || cpu->inclusive_samples || cpu->queue_ns || cpu->alloc_ns;
}

static uint64_t cpu_total(const struct hp_function *function, bool exclusive)
{
	return exclusive ? function->cpu.samples : function->cpu.inclusive_samples;
}

static double cpu_share(const struct hp_model *model, const struct hp_function *function,
			bool exclusive)
{
	return percent_of(cpu_total(function, exclusive), model->cpu.total_samples);
}

const struct hp_measure hp_measure_cpu = {
	.has_row = was_seen,
	.total = cpu_total,
	.average = time_average,
	.percentile = time_percentile,
	.share = cpu_share,
	.format = hp_format_count,
	.shown = HP_SHOWN_CPU,
};
