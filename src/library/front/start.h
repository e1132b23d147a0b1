/* SPDX-License-Identifier: MIT */
/* Programs that the program starts: with an environment that they can bear. */
#ifndef HOTPATH_START_H
#define HOTPATH_START_H

#include "loading.h"

#include <stdbool.h>

/** A program that is about to be started, by one of many functions. */
struct start {
	/** Start it with this environment; as that function returns. */
	int (*go)(const struct start *start, char *const environment[]);
	/** Its file: in a folder, as execveat has it, unless it is to be looked for in PATH. */
	int folder;
	const char *file;
	bool is_searched;
	char *const *arguments;
	/** Those of execveat. */
	int flags;
	/** What else posix_spawn is given. */
	const struct spawn *spawn;
};

/**
 * Start it, and have our libraries in LD_PRELOAD only where they do no harm.
 *
 * Called after vfork too, in memory that is the parent's: all that is changed is a copy on the stack.
 */
int hotpath__start_program(const struct start *start, char *const environment[]);

/** Have a program named at the end of the run that cannot be measured. The path is made printable. */
void hotpath__note_unseen(enum hp_loading loading, char *path);

#endif
