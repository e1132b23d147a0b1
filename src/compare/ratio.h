/* SPDX-License-Identifier: MIT */
/*
 * The ratio of values after to values before, with a confidence interval.
 *
 * The estimate is the median of all ratios of one value after to one before (Hodges and Lehmann). The interval is
 * bounded by two of these ratios, which by the distribution of Mann and Whitney's U enclose the true ratio with the
 * requested confidence, whatever the distribution of the values. It needs no random numbers: the same runs give the
 * same result.
 */
#ifndef HP_RATIO_H
#define HP_RATIO_H

#include <stdbool.h>
#include <stddef.h>

struct hp_ratio {
	/** After to before: 1.1 is 10 % more. 1 for 0 to 0; INFINITY for something to 0. */
	double estimate;
	double low;
	double high;
	/** There were too few runs for the confidence: the bounds are the extremes, moved out by HP_RATIO_GUESS. */
	bool is_guess;
};

/** Factor by which the extremes are moved out when there are too few runs. */
#define HP_RATIO_GUESS 2.0

/**
 * For given numbers of values, the rank of the ratios that are the bounds, counted from the smallest and from the
 * largest.
 */
struct hp_ratio_rank {
	size_t before_count;
	size_t after_count;
	/** 1 for the extremes; 0 if even these do not reach the confidence. */
	size_t rank;
};

/** A cache of ranks for a confidence: finding one takes much longer than finding a ratio. */
struct hp_ratio_ranks {
	/** Above 0 and below 1: 0.95. The rest is zero at the start. */
	double confidence;
	struct hp_ratio_rank *items;
	size_t count;
};

void hp_ratio_ranks_clear(struct hp_ratio_ranks *ranks);

/**
 * @param before
 *         In any order; not negative, and one at least, as after.
 * @param ratio
 *         Set, unless memory ran out.
 * @return
 *         0, or -ENOMEM.
 */
int hp_ratio(struct hp_ratio_ranks *ranks, const double *before, size_t before_count,
	     const double *after, size_t after_count, struct hp_ratio *ratio);

/** Of one value to one: 1 for 0 to 0, INFINITY for something to 0. */
double hp_ratio_of(double before, double after);

/** How many runs each side needs for an interval of such confidence. */
size_t hp_ratio_runs_needed(double confidence);

/** The middle value; the mean of the two middle ones. NAN for none. */
double hp_median(const double *values, size_t count);

#endif
