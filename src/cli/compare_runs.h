/* SPDX-License-Identifier: MIT */
/* Runs the programs that are to be compared, in turns. */
#ifndef COMPARE_RUNS_H
#define COMPARE_RUNS_H

#include "comparison.h"
#include "measured.h"

struct run_plan {
	/** How often each side is run, and how often before that, for nothing but to warm up. */
	int runs;
	int warmups;
	struct measure measure;
	/** What the programs print is seen. */
	bool show_output;
	/** Those that fail are compared all the same. */
	bool ignore_failure;
	/** Where the reports are kept; NULL for nowhere. */
	const char *folder;
};

/**
 * Run the commands of both sides: base, head, base, head and so on, so that whatever else the machine does meets both.
 *
 * @param comparison
 *         Its sides have commands, and get their runs.
 * @return
 *         STATUS_OK, or another status after one line on standard error. Not at all when a signal asked us to end.
 */
int compare_run(struct hp_comparison *comparison, const struct run_plan *plan);

#endif
