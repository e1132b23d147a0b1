/* SPDX-License-Identifier: MIT */
/* Writes the report of a run: one for all processes, or one for each. */
#ifndef RUN_REPORT_H
#define RUN_REPORT_H

#include "options.h"
#include "report.h"

/** Options for which processes a report is about, for the option table of a command. */
#define RUN_REPORT_OPTIONS                                                                         \
	{ .name = "process",                                                                       \
	  .value = "PID|NAME|N",                                                                   \
	  .help = "show only the process PID, those of the program NAME, or the Nth of the "       \
		  "section 'processes'" },                                                         \
	{                                                                                          \
		.name = "each", .help = "print a report for each process instead of one for all"   \
	}

/** Returns STATUS_OK; or STATUS_ERROR after one line, if the options ask for several pages. */
int run_report_check(const struct input *input);

/** A process alone has a row in the section of processes only if that was asked for by name. */
void run_report_prepare(struct hp_model *run, const struct hp_report_options *options);

/**
 * @param each
 *         Whether to write a report for each member of the model.
 */
void run_report_write(const struct hp_model *run, const struct hp_report_options *options,
		      bool each, struct hp_text *text);

#endif
