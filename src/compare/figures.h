/* SPDX-License-Identifier: MIT */
/* Figures as compared by subjects: doubles, with NAN for unknown. */
#ifndef HP_FIGURES_H
#define HP_FIGURES_H

#include "subject.h"

#include <math.h>

/** A line in a table of metrics: name, header, kind, unit, the function for its value; then optional fields. */
#define HP_METRIC(id, title, of_kind, of_unit, function, ...)                                      \
	{                                                                                          \
		.name = (id), .header = (title), .kind = HP_COMPARED_##of_kind,                    \
		.unit = HP_UNIT_##of_unit, .value = (function), __VA_ARGS__                        \
	}

#define HP_METRICS_END                                                                             \
	{                                                                                          \
		.name = NULL                                                                       \
	}

/** Defines a metric function that returns a figure of the row `at` of a `run`; not for percentiles. */
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

/** The mean; NAN for a count of 0. */
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
 * Whether the total of allocations is known. A report with only live blocks or threads says that allocations were
 * recorded, but not how many.
 */
static inline bool hp_knows_allocations(const struct hp_memory *memory)
{
	bool is_told = memory->count || memory->bytes;

	return memory->mode != HP_ALLOC_NONE &&
	       (is_told || !(memory->allocated_bytes || memory->live_bytes || memory->peak_bytes));
}

#endif
