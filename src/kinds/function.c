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

static uint64_t percentile_of(const void *row, double percent)
{
	return hp_function_percentile(row, percent);
}

/* clang-format off */
#define AT(member) HP_AT(struct hp_function, member)

const struct hp_field hp_call_fields[] = {
	{ "calls", NULL, HP_FIELD_COUNT, AT(calls), .merge = HP_MERGE_SUM,
	  .compare = { "calls", "Calls", .nth = 0, .rank = 2 } },
	{ "open", NULL, HP_FIELD_COUNT, AT(open), .merge = HP_MERGE_SUM },
	{ "calls_per_second", NULL, HP_FIELD_TREND, AT(trend), .when = HP_SHOWN_WATCHED_ONLY },
	{ "total_ns", NULL, HP_FIELD_TIME, AT(total_ns), .merge = HP_MERGE_SUM,
	  .compare = { "total", "Total", HP_COMPARED_TIME, .nth = 2, .rank = 1 } },
	{ "self_ns", NULL, HP_FIELD_TIME, AT(self_ns), .merge = HP_MERGE_SUM,
	  .compare = { "self", "Self", HP_COMPARED_TIME, .nth = 1, .decides = true } },
	{ "sum_ns", NULL, HP_FIELD_TIME, AT(sum_ns), .merge = HP_MERGE_SUM },
	{ "avg_ns", NULL, HP_FIELD_TIME, AT(sum_ns), AT(calls), .when = HP_ZERO_IF_UNKNOWN,
	  .compare = { "avg", "Avg", HP_COMPARED_TIME, .nth = 3, .rank = 3, .needs_row = true } },
	{ "self_avg_ns", NULL, HP_FIELD_TIME, AT(self_ns), AT(calls), .when = HP_ZERO_IF_UNKNOWN },
	{ "min_ns", NULL, HP_FIELD_TIME, AT(min_ns) },
	{ "max_ns", NULL, HP_FIELD_TIME, AT(max_ns), .known = AT(calls), .when = HP_ZERO_IF_UNKNOWN, .merge = HP_MERGE_MOST,
	  .compare = { "max", "Max", HP_COMPARED_TIME, .nth = 5, .rank = 5, .needs_row = true } },
	{ "", NULL, HP_FIELD_PERCENTILE, .known = AT(calls), .percentile = percentile_of,
	  .compare = { "", "", HP_COMPARED_TIME, .nth = 4, .rank = 4, .needs_row = true } },
	{ "histogram", NULL, HP_FIELD_POINTS, AT(times) },
	HP_FIELDS_NONE,
};

#undef AT
/* clang-format on */

/* ---- allocations ---- */

/* Inclusive figures are neutral: an increase is reported once, for the function that allocates. */
/* clang-format off */
#define AT(member) HP_AT(struct hp_alloc_figures, member)

const struct hp_field hp_alloc_fields[] = {
	{ "bytes", NULL, HP_FIELD_BYTES, AT(bytes), .merge = HP_MERGE_SUM,
	  .compare = { "alloc_bytes", "Bytes", .nth = 1, .rank = 1, .is_alloc = true } },
	{ "count", NULL, HP_FIELD_COUNT, AT(count), .merge = HP_MERGE_SUM,
	  .compare = { "alloc_count", "Count", .nth = 0, .is_alloc = true } },
	{ "inclusive_bytes", NULL, HP_FIELD_BYTES, AT(inclusive_bytes), .merge = HP_MERGE_SUM,
	  .compare = { "alloc_bytes_inclusive", "Bytes inside", .nth = 3, .rank = 3, .is_alloc = true, .is_neutral = true } },
	{ "inclusive_count", NULL, HP_FIELD_COUNT, AT(inclusive_count), .merge = HP_MERGE_SUM,
	  .compare = { "alloc_count_inclusive", "Count inside", .nth = 2, .rank = 2, .is_alloc = true, .is_neutral = true } },
	{ "nested_bytes", NULL, HP_FIELD_BYTES, AT(nested_bytes), .merge = HP_MERGE_SUM },
	{ "nested_count", NULL, HP_FIELD_COUNT, AT(nested_count), .merge = HP_MERGE_SUM },
	{ "freed_bytes", NULL, HP_FIELD_BYTES, AT(freed_bytes), .merge = HP_MERGE_SUM, .when = HP_KNOWN_WITH_FREED },
	{ "freed_count", NULL, HP_FIELD_COUNT, AT(freed_count), .merge = HP_MERGE_SUM, .when = HP_KNOWN_WITH_FREED },
	{ "temporary_count", NULL, HP_FIELD_COUNT, AT(temporary_count), .merge = HP_MERGE_SUM,
	  .when = HP_KNOWN_WITH_LIVE },
	{ "histogram_bytes", NULL, HP_FIELD_POINTS, AT(calls[HP_ALLOC_BYTES]) },
	{ "histogram_count", NULL, HP_FIELD_POINTS, AT(calls[HP_ALLOC_BLOCKS]) },
	{ "histogram_inclusive_bytes", NULL, HP_FIELD_POINTS, AT(calls[HP_ALLOC_INCLUSIVE_BYTES]) },
	{ "histogram_inclusive_count", NULL, HP_FIELD_POINTS, AT(calls[HP_ALLOC_INCLUSIVE_BLOCKS]) },
	HP_FIELDS_NONE,
};

#undef AT
/* clang-format on */

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

/* clang-format off */
#define AT(member) HP_AT(struct hp_cpu_figures, member)

const struct hp_field hp_sample_fields[] = {
	{ "samples", NULL, HP_FIELD_COUNT, AT(samples), .merge = HP_MERGE_SUM,
	  .compare = { "cpu_self", "CPU self", HP_COMPARED_TIME, .nth = 0, .decides = true } },
	{ "inclusive_samples", NULL, HP_FIELD_COUNT, AT(inclusive_samples), .merge = HP_MERGE_SUM,
	  .compare = { "cpu_total", "CPU total", HP_COMPARED_TIME, .nth = 1, .rank = 1 } },
	{ "system_samples", NULL, HP_FIELD_COUNT, AT(system_samples), .merge = HP_MERGE_SUM },
	{ "queue_ns", NULL, HP_FIELD_TIME, AT(queue_ns), .merge = HP_MERGE_SUM, .table = HP_SAMPLES_OF_MEASURED },
	{ "alloc_ns", NULL, HP_FIELD_TIME, AT(alloc_ns), .merge = HP_MERGE_SUM, .table = HP_SAMPLES_OF_MEASURED,
	  .compare = { "cpu_alloc", "Allocating", HP_COMPARED_TIME, .nth = 2, .rank = 2 } },
	HP_FIELDS_NONE,
};

#undef AT
/* clang-format on */

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
