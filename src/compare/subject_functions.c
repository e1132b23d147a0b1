/* SPDX-License-Identifier: MIT */
/* Functions: the time that they took, what they allocated, and their CPU time. */
#include "cpu/native.h"
#include "figure.h"
#include "figures.h"
#include "function_row.h"
#include "subject_kind.h"

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

/* The metric that counts calls; none where calls are not counted, and for what is outside of functions. */
static const void *row(const struct hp_model *model, size_t at)
{
	return at < model->function_count && hp_model_has_calls(model) ? &model->functions[at]
								       : NULL;
}

/* ---- time ---- */

/* A function that is only in the section about allocations has calls, but no times. */
static bool is_timed(const struct hp_function *function)
{
	return (function->calls || function->open) && (function->total_ns || function->self_ns ||
						       function->sum_ns || function->times.count);
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
	row->share = hp_function_is_timed(function)
			     ? hp_share_of(function->self_ns, model->elapsed_ns)
			     : -1;
	return is_timed(function);
}

/* A function whose calls were not all timed in one of the runs is not compared; nor are exclusive times then, which depend on
   what else was timed. */
static double timing_figure(const struct hp_run *run, size_t at, const struct hp_field *field,
			    double percent)
{
	const struct hp_function *function = function_of(run, at);

	return hp_known_if(function->measured == HP_MEASURED_TIMED &&
				   !(run->has_untimed && field->depth == HP_EXCLUSIVE),
			   hp_kind_value(field, function, percent));
}

static struct hp_metric timing_metrics[HP_SUBJECT_METRICS];

const struct hp_subject hp_subject_timing = {
	.name = "timing",
	.title = "functions",
	.noun = "function",
	.rows = "measured functions",
	.how = "",
	.metrics = timing_metrics,
	.room = timing_metrics,
	.fields = hp_call_fields,
	.row = row,
	.figure = timing_figure,
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
static double alloc_figure(const struct hp_run *run, size_t at, const struct hp_field *field,
			   double percent)
{
	const struct hp_function *function = function_of(run, at);

	return hp_known_if(!run->report.is_cut || has_figures(&function->alloc),
			   hp_kind_value(field, function, percent));
}

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

static struct hp_metric alloc_metrics[HP_SUBJECT_METRICS];

const struct hp_subject hp_subject_alloc = {
	.name = "alloc",
	.title = "allocations",
	.noun = "function",
	.rows = "allocations",
	.how = ": run it with --alloc",
	.metrics = alloc_metrics,
	.room = alloc_metrics,
	.fields = hp_alloc_fields,
	.row = row,
	.figure = alloc_figure,
	.order = 30,
	.is_recorded = has_alloc,
	.count = count,
	.get = get_alloc,
};

/* ---- CPU time ---- */

/* What was seen outside of measured functions is the row after them. */
static uint64_t number_of(const struct hp_model *model, size_t at, const struct hp_field *field)
{
	if (at < model->function_count)
		return hp_row_number(&model->functions[at], field->at);
	return field->unit == HP_FIELD_TIME ? model->cpu.outside_alloc_ns
					    : hp_cpu_outside(&model->cpu);
}

static double cpu_figure(const struct hp_run *run, size_t at, const struct hp_field *field,
			 double percent)
{
	const struct hp_model *model = run->report.model;
	uint64_t number = number_of(model, at, field);

	(void)percent;
	if (field->unit == HP_FIELD_TIME)
		return hp_known_if(number || model->memory.mode != HP_ALLOC_NONE, (double)number);
	return (double)number * (double)model->cpu.period_ns;
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

static struct hp_metric cpu_metrics[HP_SUBJECT_METRICS];

const struct hp_subject hp_subject_cpu = {
	.name = "cpu",
	.title = "CPU time",
	.noun = "function",
	.rows = "CPU time",
	.how = ": run it with --cpu",
	.metrics = cpu_metrics,
	.room = cpu_metrics,
	.fields = hp_sample_fields,
	.row = row,
	.figure = cpu_figure,
	.least = least_cpu,
	.order = 55,
	.prepare = prepare_cpu,
	.is_recorded = has_cpu,
	.count = count_cpu,
	.get = get_cpu,
};
