/* SPDX-License-Identifier: MIT */
/* The number that a field shows of a row. */
#ifndef HP_KIND_FIGURE_H
#define HP_KIND_FIGURE_H

#include "kind.h"

/** What figures of all rows are shares or multiples of, and what was recorded. */
struct hp_totals {
	uint64_t elapsed_ns;
	/** Allocated. */
	uint64_t bytes;
	uint64_t blocks;
	/** Samples of CPU time; and how much each stands for. */
	uint64_t samples;
	uint64_t period_ns;
	/** Recent samples, in thousandths of a sample a second. */
	uint64_t recent_samples;
	/** What is 100 % in place of the others; 0 if these are. */
	uint64_t whole;
	/** What measuring a call takes, in nanoseconds. */
	double call_ns;
	uint32_t processes;
	/** An enum hp_alloc_mode. */
	uint32_t mode;
	bool watched;
	/** The program is watched, and its CPU time is sampled. */
	bool has_recent;
	/** Some CPU time was in the kernel. */
	bool has_system;
	/** Exclusive figures of functions are asked for. */
	bool exclusive;
};

/** Whether what a field is about was recorded. */
bool hp_totals_know(const struct hp_totals *totals, const struct hp_field *field);

/** Whole, or real if the unit is one of such. */
struct hp_kind_figure {
	bool is_known;
	uint64_t whole;
	double real;
};

/** @param percent Which percentile, if it is one. */
struct hp_kind_figure hp_kind_figure(const struct hp_field *field, const void *row,
				     const struct hp_totals *totals, double percent);

/** A number to compare, not rounded; NAN when it is not known, or is no number. */
double hp_kind_value(const struct hp_field *field, const void *row, double percent);

/** What rows are sorted by, the largest first; what is not known, or no number, comes last. */
double hp_kind_weight(const struct hp_field *field, const void *row, const struct hp_totals *totals,
		      double percent);

/** The number itself, or what makes up a mean or a share. */
uint64_t hp_kind_number(const struct hp_field *field, const void *row);

double hp_bits_to_double(uint64_t bits);

#endif
