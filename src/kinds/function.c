/* SPDX-License-Identifier: MIT */
/* The figures of functions: their calls, what they allocated, and their samples. */
#include "function.h"

#include "arithmetic.h"

#include <stdlib.h>

/* ---- calls ---- */

uint64_t hp_function_percentile(const struct hp_function *function, double percent)
{
	return hp_points_percentile(&function->times, function->calls, function->min_ns,
				    function->max_ns, percent);
}

uint64_t hp_function_average(const struct hp_function *function)
{
	uint64_t calls = function->calls;

	return calls ? (function->sum_ns + calls / 2) / calls : 0;
}

bool hp_function_is_mostly_cost(const struct hp_function *function, enum hp_field_depth depth,
				double call_ns)
{
	bool is_alone = depth == HP_EXCLUSIVE;
	uint64_t calls = function->calls + (is_alone ? 0 : function->inner_calls);
	uint64_t took_ns = is_alone ? function->self_ns : function->total_ns;

	return calls && function->kind != HP_SITE_SPAN && (double)took_ns < call_ns * (double)calls;
}

bool hp_function_is_timed(const void *row)
{
	return ((const struct hp_function *)row)->measured == HP_MEASURED_TIMED;
}

bool hp_function_is_rough(const struct hp_function *function, enum hp_field_depth depth,
			  double call_ns)
{
	return function->measured != HP_MEASURED_TIMED ||
	       hp_function_is_mostly_cost(function, depth, call_ns);
}

bool hp_function_was_called(const struct hp_function *function)
{
	return function->calls || function->open || function->counted;
}

/* ---- allocations ---- */

uint64_t hp_alloc_percentile(const struct hp_alloc_figures *figures, uint64_t calls,
			     enum hp_alloc_histogram which, double percent)
{
	const struct hp_points *points = &figures->calls[which];
	uint64_t some = hp_points_calls(points);
	uint64_t none = hp_minus(calls, some);
	uint64_t rank = hp_percentile_rank(percent, none + some);

	/* The least of all is the first one. */
	if (rank == 0)
		rank = 1;
	return rank <= none ? 0 : hp_points_at(points, rank - none);
}

int hp_alloc_figures_merge(struct hp_function *into, const struct hp_function *from)
{
	return hp_row_merge(hp_alloc_fields, into, from);
}

void hp_alloc_figures_clear(struct hp_alloc_figures *figures)
{
	for (unsigned i = 0; i < HP_ALLOC_HISTOGRAMS; i++)
		free(figures->calls[i].items);
	*figures = (struct hp_alloc_figures){ 0 };
}

/* ---- all ---- */

/* Without a call it is 0, which is not the least. */
static void merge_least(struct hp_function *into, const struct hp_function *from)
{
	if (from->calls && (!into->calls || from->min_ns < into->min_ns))
		into->min_ns = from->min_ns;
}

int hp_function_merge(struct hp_function *into, const struct hp_function *from)
{
	merge_least(into, from);
	int error = hp_row_merge(hp_call_fields, into, from);

	into->is_caller |= from->is_caller;
	hp_row_add(hp_sample_fields, into, from);
	return error ? error : hp_alloc_figures_merge(into, from);
}
