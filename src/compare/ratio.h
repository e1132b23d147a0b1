/* SPDX-License-Identifier: MIT */
/*
 * How much more or less there is after than before, and between what bounds.
 *
 * The estimate is the median of all ratios of one value after to one before (Hodges and Lehmann's); the interval is
 * bounded by two of these ratios, which by the distribution of Mann and Whitney's U holds the true one with the
 * confidence asked for, whatever the distribution of the values. It needs no random numbers: the same runs give the
 * same answer.
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
	/** There were too few runs for an interval of such confidence: the bounds are the extremes, and twice as far off. */
	bool is_guess;
};

/** How much further than the extremes the bounds are when there are too few runs. */
#define HP_RATIO_GUESS 2.0

/** Which of the ratios of so many values are the bounds: the one of this rank, from the smallest and from the largest. */
struct hp_ratio_rank {
	size_t before_count;
	size_t after_count;
	/** 1 for the extremes; 0 when even these do not have the confidence. */
	size_t rank;
};

/** The ranks for a confidence, each found once: it takes much longer than to find a ratio. */
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
