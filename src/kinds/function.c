/* SPDX-License-Identifier: MIT */
/* The figures of functions: their calls, what they allocated, and their samples. */
#include "function.h"

#include <errno.h>
#include <stdlib.h>

/* ---- calls ---- */

uint64_t hp_function_percentile(const struct hp_function *function, double percent)
{
	return hp_points_percentile(&function->times, function->calls, function->min_ns,
				    function->max_ns, percent);
}

static uint64_t mean(uint64_t sum, uint64_t calls)
{
	return calls ? (sum + calls / 2) / calls : 0;
}

uint64_t hp_function_average(const struct hp_function *function)
{
	return mean(function->sum_ns, function->calls);
}

uint64_t hp_function_self_average(const struct hp_function *function)
{
	return mean(function->self_ns, function->calls);
}

/* ---- allocations ---- */

int hp_alloc_figures_merge(struct hp_alloc_figures *into, const struct hp_alloc_figures *from)
{
	return hp_row_merge(hp_alloc_fields, into, from);
}

void hp_alloc_figures_clear(struct hp_alloc_figures *figures)
{
	for (unsigned i = 0; i < HP_ALLOC_HISTOGRAMS; i++)
		free(figures->calls[i].items);
	*figures = (struct hp_alloc_figures){ 0 };
}

/* ---- samples ---- */

void hp_cpu_figures_add(struct hp_cpu_figures *into, const struct hp_cpu_figures *from)
{
	hp_row_add(hp_sample_fields, into, from);
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
	hp_cpu_figures_add(&into->cpu, &from->cpu);
	return error ? error : hp_alloc_figures_merge(&into->alloc, &from->alloc);
}
