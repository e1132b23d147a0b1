/* SPDX-License-Identifier: MIT */
/* What keeps a library of ours from being loaded into a program, or from seeing what it allocates. */
#ifndef OBSTACLE_H
#define OBSTACLE_H

#include <stdbool.h>

enum { OBSTACLE_TEXT = 256 };

enum obstacle {
	OBSTACLE_NONE,
	/** Nothing is loaded into a static program. */
	OBSTACLE_STATIC,
	/** Our libraries need another C library than the program's. */
	OBSTACLE_LIBC,
	/** The dynamic linker takes no libraries from whoever runs it. */
	OBSTACLE_PRIVILEGES,
	/** Its own malloc comes before any library's. */
	OBSTACLE_MALLOC,
};

/**
 * Look at a program as it would be run by this user.
 *
 * @param path
 *         Its file. A script is run by another program, of which nothing is known.
 */
enum obstacle obstacle_find(const char *path);

/**
 * Why a program cannot be looked into then, and what to do instead.
 *
 * @param package
 *         What of ours it could be linked with; NULL when that would not help.
 */
void obstacle_text(enum obstacle obstacle, const char *package, char text[OBSTACLE_TEXT]);

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
