/* SPDX-License-Identifier: MIT */
/* Fetches debug files from the servers that DEBUGINFOD_URLS names. */
#ifndef DEBUGINFOD_H
#define DEBUGINFOD_H

#include <stdbool.h>

struct hp_model;

/** Let the reader use debug files that were fetched before, by whatever client. */
void debuginfod_use(void);

/** From now on, fetch debug files that are missing; only in a command whose user waits for one report. */
void debuginfod_fetch(void);

/** Note why fetching was given up, if it was. Returns false when memory ran out. */
bool debuginfod_note(struct hp_model *model);

/** Whether libdebuginfod can be loaded. */
bool debuginfod_is_there(void);

#endif
