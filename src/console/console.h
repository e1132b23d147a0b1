/* SPDX-License-Identifier: MIT */
/* The console: watches a running program, or a run of several, in the terminal. */
#ifndef HP_CONSOLE_H
#define HP_CONSOLE_H

#include "report_options.h"
#include "text.h"
#include "watched.h"

enum {
	HP_REFRESH_MS_DEFAULT = 500,
	HP_REFRESH_MS_MIN = 50,
	HP_REFRESH_MS_MAX = 60000,
};

struct hp_console_options {
	/** A process id, the name of a program or of a run, a segment file; NULL for the newest that runs. */
	const char *target;
	/** The processes of the run that are wanted, as for hp_watched_choose_part; NULL for all. */
	const char *process;
	/** How runs of several processes are read. */
	const struct hp_run_reader *runs;
	unsigned refresh_ms;
	/** Options for tables and for saved reports. */
	struct hp_report_options report;
	/** Writes a report to a file. Returns 0, or a negative errno. */
	int (*save)(const char *path, const struct hp_text *text);
};

/**
 * Watch until the user leaves.
 *
 * @return
 *         0; the number of the signal that ended it; or a negative errno with the reason in error; the terminal is
 *         restored in any case.
 */
int hp_console_run(const struct hp_console_options *options, struct hp_error *error);

/** The keys there are, for --help: a line for each. */
void hp_console_keys(struct hp_text *text);

#endif
