/* SPDX-License-Identifier: MIT */
/* Loads our libraries into programs by LD_PRELOAD. */
#ifndef PRELOAD_H
#define PRELOAD_H

#include "measured.h"

#include <stdbool.h>

/**
 * Have the dynamic linker load our libraries before anything else into a program, and those it starts.
 *
 * libhotpath.so measures functions that were compiled with -finstrument-functions, libhotpath-alloc.so records
 * allocations, libhotpath-waits.so locks, and other probes record calls of other libraries. If they cannot be loaded,
 * the program runs without them. One line says so if that is not because of the program, or if its allocations, CPU
 * time, locks or such calls were requested.
 *
 * @param program
 *         As on the command line.
 * @param recording
 *         What to record. It is told that the program must be sampled from outside, if the command can do that.
 * @return
 *         Whether the probe for allocations is loaded, into whatever lets it.
 */
bool preload_libraries(const char *program, struct recording *recording);

/** A saved copy of the environment variables that this changes: different programs need different values. */
struct preload {
	char *values[2];
};

/** Keep it. Returns false when memory ran out; to be freed either way. */
bool preload_keep(struct preload *kept);

/** Have it again. Returns false when memory ran out. */
bool preload_restore(const struct preload *kept);

void preload_free(struct preload *kept);

#endif
