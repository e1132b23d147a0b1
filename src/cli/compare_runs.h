/* SPDX-License-Identifier: MIT */
/* Runs the commands that are compared, alternating between base and head. */
#ifndef COMPARE_RUNS_H
#define COMPARE_RUNS_H

#include "comparison.h"
#include "measured.h"

struct run_plan {
	/** Measured runs of each side, and warm-up runs before them. */
	int runs;
	int warmups;
	struct recording recording;
	/** Show the output of the programs. */
	bool show_output;
	/** Also compare runs that fail. */
	bool ignore_failure;
	/** Where the reports are kept; NULL for nowhere. */
	const char *folder;
};

/**
 * Run the commands of both sides: base, head, base, head and so on, so that other activity of the machine affects
 * both alike.
 *
 * @param comparison
 *         Its sides have commands, and get their runs.
 * @return
 *         STATUS_OK, or another status after one line on standard error. Not at all when a signal asked us to end.
 */
int compare_run(struct hp_comparison *comparison, const struct run_plan *plan);

#endif
