/* SPDX-License-Identifier: MIT */
/* What the user wants of a comparison, from the command line. */
#ifndef COMPARE_OPTIONS_H
#define COMPARE_OPTIONS_H

#include "compare_runs.h"
#include "compare_write.h"
#include "comparison.h"
#include "options.h"

/** All words that --base or --head has, or the one that stands in its place. */
struct side_words {
	const char **items;
	size_t count;
};

/** All of these return STATUS_OK, or STATUS_ERROR after one line on standard error. */

/** How it is judged. */
int compare_options_read(const struct input *input, struct hp_compare_options *options);

/** How it is told; the default is a table. */
int compare_format_read(const struct input *input, const struct hp_compare_format **format);

/** What is compared; both are to be freed. */
int compare_sides_read(const struct input *input, struct side_words *base, struct side_words *head);

/**
 * Whether programs are to be run, and how.
 *
 * @param plan
 *         No runs where reports are given. Then there must be no option that is about running programs.
 */
int compare_plan_read(const struct input *input, struct run_plan *plan);

/**
 * The limits that the user has set: in the file that is named, or the usual one if it is there.
 *
 * @param budgets
 *         To be cleared with the comparison that has them.
 */
int compare_budgets_read(const struct input *input, struct hp_budgets *budgets);

#endif
