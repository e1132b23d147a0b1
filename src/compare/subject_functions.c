/* SPDX-License-Identifier: MIT */
/* Functions: the time that they took, what they allocated, and their CPU time. */
#include "figures.h"
#include "function_row.h"
#include "native.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct hp_function *function_of(const struct hp_run *run, size_t at)
{
	return &run->report.model->functions[at];
}

static size_t count(const struct hp_model *model)
{
	return model->function_count;
}

/* ---- time ---- */

/* A function that is only in the section about allocations has calls, but no times. */
static bool is_timed(const struct hp_function *function)
{
	return (function->calls || function->open) && (function->total_ns || function->self_ns ||
						       function->sum_ns || function->times.count);
}

HP_FIGURE(calls, (double)function_of(run, at)->calls)
HP_FIGURE(self, (double)function_of(run, at)->self_ns)
HP_FIGURE(total, (double)function_of(run, at)->total_ns)

static double average(const struct hp_run *run, size_t at, double percent)
{
	const struct hp_function *function = function_of(run, at);

	(void)percent;
	return hp_mean(function->sum_ns, function->calls);
}

static double percentile(const struct hp_run *run, size_t at, double percent)
{
	const struct hp_function *function = function_of(run, at);
	bool is_known = function->calls && hp_run_knows_percentile(run, percent);

	return is_known ? (double)hp_function_percentile(function, percent) : NAN;
}

static double longest(const struct hp_run *run, size_t at, double percent)
{
	const struct hp_function *function = function_of(run, at);

	(void)percent;
	return hp_known_if(function->calls, (double)function->max_ns);
}

static bool has_timing(const struct hp_model *model)
{
	for (size_t i = 0; i < model->function_count; i++)
		if (is_timed(&model->functions[i]))
			return true;
	return false;
}

static bool get_timing(const struct hp_model *model, size_t at, struct hp_subject_row *row)
{
	const struct hp_function *function = &model->functions[at];

	hp_function_row(model, function, row);
	row->share = hp_share_of(function->self_ns, model->elapsed_ns);
	return is_timed(function);
}

static const struct hp_metric timing_metrics[] = {
	HP_METRIC("calls", "Calls", EXACT, COUNT, calls, .rank = 2),
	HP_METRIC("self", "Self", TIME, NS, self, .decides = true),
	HP_METRIC("total", "Total", TIME, NS, total, .rank = 1),
	HP_METRIC("avg", "Avg", TIME, NS, average, .needs_row = true, .rank = 3),
	HP_METRIC("", "", TIME, NS, percentile, .is_percentile = true, .needs_row = true,
		  .rank = 4),
	HP_METRIC("max", "Max", TIME, NS, longest, .needs_row = true, .rank = 5),
	HP_METRICS_END,
};

const struct hp_subject hp_subject_timing = {
	.name = "timing",
	.title = "functions",
	.noun = "function",
	.rows = "measured functions",
	.how = "",
	.metrics = timing_metrics,
	.order = 10,
	.is_recorded = has_timing,
	.count = count,
	.get = get_timing,
};

/* ---- allocations ---- */

static bool has_figures(const struct hp_alloc_figures *alloc)
{
	return alloc->count || alloc->inclusive_count || alloc->freed_count;
}

/* If a function was called but has no figures, a report that was cut may have left them out: unknown. */
static double told(const struct hp_run *run, size_t at, uint64_t figure)
{
	bool is_told = !run->report.is_cut || has_figures(&function_of(run, at)->alloc);

	return hp_known_if(is_told, (double)figure);
}

HP_FIGURE(alloc_count, told(run, at, function_of(run, at)->alloc.count))
HP_FIGURE(alloc_bytes, told(run, at, function_of(run, at)->alloc.bytes))
HP_FIGURE(alloc_count_inside, told(run, at, function_of(run, at)->alloc.inclusive_count))
HP_FIGURE(alloc_bytes_inside, told(run, at, function_of(run, at)->alloc.inclusive_bytes))

static bool has_alloc(const struct hp_model *model)
{
	return hp_knows_allocations(&model->memory);
}

/* Includes functions without allocations, because they may have some on the other side. */
static bool get_alloc(const struct hp_model *model, size_t at, struct hp_subject_row *row)
{
	const struct hp_function *function = &model->functions[at];
	double of_count = hp_share_of(function->alloc.count, model->memory.count);
	double of_bytes = hp_share_of(function->alloc.bytes, model->memory.bytes);

	hp_function_row(model, function, row);
	row->share = of_count > of_bytes ? of_count : of_bytes;
	return function->calls || function->open || has_figures(&function->alloc);
}

/* Inclusive figures are neutral: an increase is reported once, for the function that allocates. */
static const struct hp_metric alloc_metrics[] = {
	HP_METRIC("alloc_count", "Count", EXACT, COUNT, alloc_count, .is_alloc = true),
	HP_METRIC("alloc_bytes", "Bytes", EXACT, BYTES, alloc_bytes, .is_alloc = true, .rank = 1),
	HP_METRIC("alloc_count_inclusive", "Count inside", EXACT, COUNT, alloc_count_inside,
		  .is_alloc = true, .is_neutral = true, .rank = 2),
	HP_METRIC("alloc_bytes_inclusive", "Bytes inside", EXACT, BYTES, alloc_bytes_inside,
		  .is_alloc = true, .is_neutral = true, .rank = 3),
	HP_METRICS_END,
};

const struct hp_subject hp_subject_alloc = {
	.name = "alloc",
	.title = "allocations",
	.noun = "function",
	.rows = "allocations",
	.how = ": run it with --alloc",
	.metrics = alloc_metrics,
	.order = 30,
	.is_recorded = has_alloc,
	.count = count,
	.get = get_alloc,
};

/* ---- CPU time ---- */

static double cpu_self(const struct hp_run *run, size_t at, double percent)
{
	const struct hp_model *model = run->report.model;
	uint64_t samples = at < model->function_count ? model->functions[at].cpu.samples
						      : hp_cpu_outside(&model->cpu);

	(void)percent;
	return (double)samples * (double)model->cpu.period_ns;
}

static double cpu_total(const struct hp_run *run, size_t at, double percent)
{
	const struct hp_model *model = run->report.model;
	uint64_t samples = at < model->function_count ? model->functions[at].cpu.inclusive_samples
						      : hp_cpu_outside(&model->cpu);

	(void)percent;
	return (double)samples * (double)model->cpu.period_ns;
}

static double cpu_alloc(const struct hp_run *run, size_t at, double percent)
{
	const struct hp_model *model = run->report.model;
	uint64_t ns = at < model->function_count ? model->functions[at].cpu.alloc_ns
						 : model->cpu.outside_alloc_ns;

	(void)percent;
	return hp_known_if(ns || model->memory.mode != HP_ALLOC_NONE, (double)ns);
}

/* Fewer samples than this are chance, or may miss a function in every run if it runs in step with the sampling. */
static double least_cpu(const struct hp_run *run)
{
	enum { LOOKS = 25 };
	const struct hp_cpu *cpu = &run->report.model->cpu;

	return LOOKS * (double)cpu->period_ns *
	       (cpu->looks ? (double)cpu->total_samples / (double)cpu->looks : 1);
}

static bool has_cpu(const struct hp_model *model)
{
	return model->cpu.source != HP_CPU_NONE;
}

static bool is_native(const struct hp_model *model)
{
	return !hp_model_has_calls(model) && !model->cpu.attributed_samples;
}

static size_t count_cpu(const struct hp_model *model)
{
	return model->function_count + !is_native(model);
}

static bool was_seen(const struct hp_cpu_figures *cpu)
{
	return cpu->samples || cpu->inclusive_samples || cpu->alloc_ns;
}

static bool get_cpu(const struct hp_model *model, size_t at, struct hp_subject_row *row)
{
	if (at == model->function_count) {
		row->name = "<outside>";
		row->share = hp_share_of(hp_cpu_outside(&model->cpu), model->cpu.total_samples);
		return true;
	}
	const struct hp_function *function = &model->functions[at];
	hp_function_row(model, function, row);
	row->is_program = false;
	row->share = hp_share_of(function->cpu.samples, model->cpu.total_samples);
	return was_seen(&function->cpu);
}

/* ---- CPU time where no function is measured ---- */

static bool is_prepared(const struct hp_model *model)
{
	for (size_t i = 0; i < model->function_count; i++)
		if (was_seen(&model->functions[i].cpu))
			return true;
	return false;
}

/* Append a row that owns its strings, with the CPU time of one that borrows them. */
static bool append(struct hp_model *model, const struct hp_function *native)
{
	struct hp_function *function = &model->functions[model->function_count];

	*function = (struct hp_function){ .kind = HP_SITE_FUNCTION, .cpu = native->cpu };
	function->name = strdup(native->name);
	function->module = native->module ? strdup(native->module) : NULL;
	if (!function->name || (native->module && !function->module)) {
		hp_function_clear(function);
		return false;
	}
	model->function_count++;
	return true;
}

static int append_native(struct hp_model *model, const struct hp_native *native)
{
	size_t room = model->function_count + native->count + native->rest_count + 1;
	struct hp_function *functions = reallocarray(model->functions, room, sizeof(*functions));
	if (!functions)
		return -ENOMEM;

	model->functions = functions;
	for (size_t i = 0; i < native->count; i++)
		if (was_seen(&native->functions[i].cpu) && !append(model, &native->functions[i]))
			return -ENOMEM;
	for (size_t i = 0; i < native->rest_count; i++)
		if (!append(model, &native->rests[i]))
			return -ENOMEM;
	return 0;
}

/* Without measured functions, the rows are the program's own functions, from the sampled stacks. */
static int prepare_cpu(struct hp_model *model)
{
	struct hp_native native;

	if (!has_cpu(model) || !is_native(model) || is_prepared(model))
		return 0;
	int failed = hp_native_read(&native, &model->cpu) ? append_native(model, &native) : -ENOMEM;
	hp_native_free(&native);
	return failed;
}

static const struct hp_metric cpu_metrics[] = {
	HP_METRIC("cpu_self", "CPU self", TIME, NS, cpu_self, .least = least_cpu, .decides = true),
	HP_METRIC("cpu_total", "CPU total", TIME, NS, cpu_total, .least = least_cpu, .rank = 1),
	HP_METRIC("cpu_alloc", "Allocating", TIME, NS, cpu_alloc, .rank = 2),
	HP_METRICS_END,
};

const struct hp_subject hp_subject_cpu = {
	.name = "cpu",
	.title = "CPU time",
	.noun = "function",
	.rows = "CPU time",
	.how = ": run it with --cpu",
	.metrics = cpu_metrics,
	.order = 55,
	.prepare = prepare_cpu,
	.is_recorded = has_cpu,
	.count = count_cpu,
	.get = get_cpu,
};
