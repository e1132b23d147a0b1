/* SPDX-License-Identifier: MIT */
/* Turns the values of all runs into verdicts: first of cells, then of rows. */
#ifndef HP_JUDGE_H
#define HP_JUDGE_H

#include "comparison.h"

/**
 * Judge the rows of a comparison: medians, ratios and verdicts of cells, verdicts of rows, and their order.
 *
 *	exact, and the same in all runs of a side:   same if equal, else more or less
 *	all else, by the interval of the ratio:      slower   above 1, and the estimate beyond the threshold
 *	                                             faster   below 1, and the estimate beyond the threshold
 *	                                             same     within the threshold, or the estimate is and
 *	                                                      it is not 1
 *	                                             unclear  otherwise; what was seen too seldom; and in too few
 *	                                                      runs, times that differ by less than a quarter of
 *	                                                      what the whole program takes
 *
 * The confidence of an interval is such that all of a comparison are right together.
 *
 * @return
 *         0, or -ENOMEM.
 */
int hp_judge(struct hp_comparison *comparison);

#endif
