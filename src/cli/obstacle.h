/* SPDX-License-Identifier: MIT */
/* What keeps a library of ours from being loaded into a program, or from seeing what it allocates. */
#ifndef OBSTACLE_H
#define OBSTACLE_H

#include "loading.h"

#include <stdbool.h>

enum { OBSTACLE_TEXT = 256 };

/** What keeps it from being loaded is told elsewhere. */
enum obstacle {
	OBSTACLE_NONE = HP_LOADING_WORKS,
	OBSTACLE_STATIC = HP_LOADING_STATIC,
	OBSTACLE_PRIVILEGES = HP_LOADING_PRIVILEGES,
	OBSTACLE_LIBC = HP_LOADING_LIBC,
	OBSTACLE_MACHINE = HP_LOADING_MACHINE,
	/** Its own malloc comes before any library's. */
	OBSTACLE_MALLOC,
	OBSTACLES,
};

/**
 * Look at a program as it would be run by this user.
 *
 * @param path
 *         Its file. Of a script, the program that runs it counts.
 */
enum obstacle obstacle_find(const char *path);

/**
 * Why a program cannot be looked into then, and what to do instead.
 *
 * @param package
 *         What of ours it could be linked with; NULL when that would not help.
 */
void obstacle_text(enum obstacle obstacle, const char *package, char text[OBSTACLE_TEXT]);

/** The same in two or three words, for a list of programs. */
const char *obstacle_word(enum obstacle obstacle);

/** The probe for allocations, if a program was linked with it: then there is no obstacle to that. */
enum linked_probe {
	PROBE_NONE,
	PROBE_SHARED,
	/** It is in the program, which must not get a second one. */
	PROBE_STATIC,
};

enum linked_probe obstacle_avoided(const char *path);

/** Whether a program was linked with the recorder, and so needs none loaded into it. */
bool obstacle_has_recorder(const char *path);

#endif
