/* SPDX-License-Identifier: MIT */
/* Options of `hotpath compare`, from the command line. */
#ifndef COMPARE_OPTIONS_H
#define COMPARE_OPTIONS_H

#include "compare_runs.h"
#include "compare_write.h"
#include "comparison.h"
#include "options.h"

/** The words of --base or --head, or the positional argument in its place. */
struct side_words {
	const char **items;
	size_t count;
};

/** All of these return STATUS_OK, or STATUS_ERROR after one line on standard error. */

/** How it is judged. */
int compare_options_read(const struct input *input, struct hp_compare_options *options);

/** The output format; the default is a table. */
int compare_format_read(const struct input *input, const struct hp_compare_format **format);

/** The two sides; both must be freed. */
int compare_sides_read(const struct input *input, struct side_words *base, struct side_words *head);

/**
 * Whether programs are to be run, and how.
 *
 * @param plan
 *         Has no runs if reports are given; options about running programs are an error then.
 */
int compare_plan_read(const struct input *input, struct run_plan *plan);

/**
 * Read the budgets: from the given file, or from the default file if it exists.
 *
 * @param budgets
 *         To be cleared with the comparison that has them.
 */
int compare_budgets_read(const struct input *input, struct hp_budgets *budgets);

#endif
