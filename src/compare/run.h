/* SPDX-License-Identifier: MIT */
/* What is compared: two sides, base and head, each with the reports of one or more runs. */
#ifndef HP_RUN_H
#define HP_RUN_H

#include "saved/saved.h"

/** The report of one run. */
struct hp_run {
	/** Its name for the user: "base-3.json", or "run 3". */
	char *label;
	/** Owns the model. For a run of our own, every percentile is known. */
	struct hp_saved report;
	/** Some functions were not timed all the time, which is part of the exclusive time of those around them. Known
	    after hp_side_examine. */
	bool has_untimed;
	/**
	 * A window of a program that runs on, in place of a whole run. Windows differ in length and load, so their sums are
	 * compared per call, per event or per second.
	 */
	bool is_window;
};

struct hp_side {
	struct hp_run *runs;
	size_t count;
	/** The command line that was run, not owned; NULL if reports were given. */
	const char *command;
};

/** Append a run, with its label and model. Returns false when memory ran out; they are the caller's then. */
bool hp_side_append(struct hp_side *side, struct hp_run run);

/** Find out what is special about its runs, once all of them are complete. */
void hp_side_examine(struct hp_side *side);

void hp_side_clear(struct hp_side *side);

/** Whether a side is one of windows. */
bool hp_side_is_of_windows(const struct hp_side *side);

/** Whether a percentile is known of a run. */
bool hp_run_knows_percentile(const struct hp_run *run, double percent);

#endif
