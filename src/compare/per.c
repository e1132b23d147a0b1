/* SPDX-License-Identifier: MIT */
/*
 * Windows of a running program: sums become figures that windows of any length and load have in common.
 *
 *	time, bytes, allocations of a row    per call, message or acquisition: what the change of a program changes
 *	calls, messages, CPU of threads      per second: the load, which is shown and not judged
 *
 * Where nothing counts calls, as in a program whose functions are only sampled, their figures are per second, too.
 */
#include "figures.h"
#include "rows.h"
#include "subject_kind.h"

static double seconds_of(const struct hp_run *run)
{
	uint64_t ns = run->report.model->elapsed_ns;

	return hp_known_if(ns, (double)ns / 1e9);
}

/* The row that has the count; NULL if there is none. */
static const void *row_of(const struct hp_metric *metric, const struct hp_model *model, size_t at)
{
	const struct hp_subject *subject = metric->subject;

	if (!metric->per || metric->per == HP_PER_SECOND)
		return NULL;
	return subject->row ? subject->row(model, at) : hp_model_row(model, subject->kind, at);
}

const char *hp_metric_per(const struct hp_metric *metric, const struct hp_run *run, size_t at)
{
	if (!run->is_window || !metric->per)
		return NULL;
	return row_of(metric, run->report.model, at) ? metric->per_key : "second";
}

/* The number that a figure is divided by. */
static double work_of(const struct hp_metric *metric, const struct hp_run *run, size_t at)
{
	const void *row = row_of(metric, run->report.model, at);

	if (!metric->per)
		return 1;
	if (!row)
		return seconds_of(run);
	uint64_t count = hp_row_number(row, metric->per);
	return hp_known_if(count, (double)count);
}

double hp_metric_least(const struct hp_metric *metric, const struct hp_run *run, size_t at)
{
	return metric->least(run) / work_of(metric, run, at);
}

double hp_metric_value(const struct hp_metric *metric, const struct hp_run *run, size_t at,
		       double percent)
{
	double value = metric->field ? hp_metric_field_value(metric, run, at, percent)
				     : metric->value(run, at, percent);

	if (!run->is_window)
		return value;
	return hp_known_if(!metric->is_of_runs, value / work_of(metric, run, at));
}
