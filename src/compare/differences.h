/* SPDX-License-Identifier: MIT */
/* Notes on what else differs between the two sides, which readers of a comparison must know. */
#ifndef HP_DIFFERENCES_H
#define HP_DIFFERENCES_H

#include "comparison.h"

/** Add a sentence to the notes, unless it is there. Returns 0, or -ENOMEM. */
int hp_compare_note(struct hp_comparison *comparison, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * Note what differs between runs: programs, arguments, machines, options, versions, how they ended; sections that one
 * side lacks, reports that are cut, percentiles that are not there, and rows that were renamed.
 *
 * @return
 *         0, or -ENOMEM.
 */
int hp_differences(struct hp_comparison *comparison);

#endif
