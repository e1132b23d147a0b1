/* SPDX-License-Identifier: MIT */
/* The folder for the reports of all runs: base-01.json, head-01.json and so on. */
#ifndef RUN_FOLDER_H
#define RUN_FOLDER_H

#include <limits.h>
#include <stdbool.h>

/**
 * The path of a report. Numbers are padded to the digits of the last one, so that shell patterns list them in order.
 *
 * @return
 *         False when it would be too long.
 */
bool run_folder_path(const char *folder, const char *side, int number, int last,
		     char path[PATH_MAX]);

/**
 * Make it, unless it is there.
 *
 * @return
 *         STATUS_OK, or STATUS_ERROR after one line on standard error: also when there are reports in it that would
 *         stay beside the new ones, and be taken for some of them later.
 */
int run_folder_make(const char *folder, int last);

#endif
