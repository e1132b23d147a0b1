/* SPDX-License-Identifier: MIT */
/* Starts programs with an environment that works for them. */
#ifndef HOTPATH_START_H
#define HOTPATH_START_H

#include "loading.h"

#include <stdbool.h>
#include <sys/types.h>

/** A program that is about to be started, by one of many functions. */
struct start {
	/** Start it with this environment; returns what the intercepted function returns. */
	int (*go)(const struct start *start, char *const environment[]);
	/** Its file, relative to a folder descriptor as for execveat, unless it is searched in PATH. */
	int folder;
	const char *file;
	bool is_searched;
	char *const *arguments;
	/** Those of execveat. */
	int flags;
	/** What else posix_spawn is given, and where it stores the id of the process; NULL for exec. */
	const struct spawn *spawn;
	pid_t *child;
};

/**
 * Start it, with our libraries in LD_PRELOAD only if they do no harm.
 *
 * Also called after vfork, in the parent's memory: so everything is changed in copies on the stack.
 */
int hotpath__start_program(const struct start *start, char *const environment[]);

#endif
