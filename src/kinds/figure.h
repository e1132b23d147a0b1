/* SPDX-License-Identifier: MIT */
/* The number that a field shows of a row. */
#ifndef HP_KIND_FIGURE_H
#define HP_KIND_FIGURE_H

#include "kind.h"

/** Whole, or real if the unit is one of such. */
struct hp_kind_figure {
	bool is_known;
	uint64_t whole;
	double real;
};

/**
 * @param elapsed_ns
 *         How long was measured, for rates; 0 if that is not known, or the program is watched, and then rates are
 *         recent ones.
 * @param percent
 *         Which percentile, if it is one.
 */
struct hp_kind_figure hp_kind_figure(const struct hp_field *field, const void *row,
				     uint64_t elapsed_ns, double percent);

/** A number to compare, not rounded; NAN when it is not known, or is no number. */
double hp_kind_value(const struct hp_field *field, const void *row, double percent);

/** What rows are sorted by, the largest first; what is not known, or no number, comes last. */
double hp_kind_weight(const struct hp_field *field, const void *row, uint64_t elapsed_ns,
		      double percent);

/** The number itself, or what makes up a mean or a share. */
uint64_t hp_kind_number(const struct hp_field *field, const void *row);

double hp_bits_to_double(uint64_t bits);

#endif
