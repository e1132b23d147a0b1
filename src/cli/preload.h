/* SPDX-License-Identifier: MIT */
/* Our libraries for programs that do not bring them themselves. */
#ifndef PRELOAD_H
#define PRELOAD_H

#include <stdbool.h>

/**
 * Have the dynamic linker load our libraries before anything else into a program, and those it starts.
 *
 * Functions that were compiled with -finstrument-functions are measured by libhotpath.so, what is allocated
 * is seen by libhotpath-alloc.so, and calls of other libraries by further probes. Where they cannot be
 * loaded, the program runs without. One line says so when that is not the program's doing, or when its
 * allocations, its CPU time or those calls were to be seen.
 *
 * @param program
 *         As on the command line.
 * @param alloc
 *         Its allocations are to be seen.
 * @param cpu
 *         And its CPU time.
 * @param wanted
 *         And these calls, as probes_parse tells it.
 * @return
 *         Whether the probe for allocations is loaded, into whatever lets it.
 */
bool preload_libraries(const char *program, bool alloc, bool cpu, unsigned wanted);

/** What of the environment that changes, as it was at some moment: different programs need different things. */
struct preload {
	char *values[2];
};

/** Keep it. Returns false when memory ran out; to be freed either way. */
bool preload_keep(struct preload *kept);

/** Have it again. Returns false when memory ran out. */
bool preload_restore(const struct preload *kept);

void preload_free(struct preload *kept);

#endif
