/* SPDX-License-Identifier: MIT */
/* Figures as subjects compare them: doubles, of which NAN says that it is not known. */
#ifndef HP_FIGURES_H
#define HP_FIGURES_H

#include "subject.h"

#include <math.h>

/** A line in a table of metrics: its name and header, what it is, where its value is from; then what else there is. */
#define HP_METRIC(id, title, of_kind, of_unit, function, ...)                                      \
	{                                                                                          \
		.name = (id), .header = (title), .kind = HP_METRIC_##of_kind,                      \
		.unit = HP_UNIT_##of_unit, .value = (function), __VA_ARGS__                        \
	}

#define HP_METRICS_END                                                                             \
	{                                                                                          \
		.name = NULL                                                                       \
	}

/** A figure of the row `at` of a `run` that is no percentile: the function that returns it. */
#define HP_FIGURE(function, figure)                                                                \
	static double function(const struct hp_run *run, size_t at, double percent)                \
	{                                                                                          \
		(void)percent;                                                                     \
		return (figure);                                                                   \
	}

static inline double hp_known_if(bool is_known, double value)
{
	return is_known ? value : NAN;
}

/** Of so many; not known of none. */
static inline double hp_mean(uint64_t sum, uint64_t count)
{
	return count ? (double)sum / (double)count : NAN;
}

/** In percent. */
static inline double hp_share_of(uint64_t part, uint64_t whole)
{
	return whole ? (double)part * 100 / (double)whole : 0;
}

/**
 * Whether it is known how much was allocated in all. A report of live blocks or threads alone says that allocations
 * were recorded, and no more.
 */
static inline bool hp_knows_allocations(const struct hp_memory *memory)
{
	bool is_told = memory->count || memory->bytes;

	return memory->mode != HP_ALLOC_NONE &&
	       (is_told || !(memory->allocated_bytes || memory->live_bytes || memory->peak_bytes));
}

#endif
