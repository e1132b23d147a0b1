/* SPDX-License-Identifier: MIT */
/* Obstacles: why our libraries cannot be loaded into a program, or cannot see its allocations. */
#ifndef OBSTACLE_H
#define OBSTACLE_H

#include "loading.h"

#include <stdbool.h>

enum { OBSTACLE_TEXT = 256 };

/** The first values are those of enum hp_loading. */
enum obstacle {
	OBSTACLE_NONE = HP_LOADING_WORKS,
	OBSTACLE_STATIC = HP_LOADING_STATIC,
	OBSTACLE_PRIVILEGES = HP_LOADING_PRIVILEGES,
	OBSTACLE_LIBC = HP_LOADING_LIBC,
	OBSTACLE_MACHINE = HP_LOADING_MACHINE,
	/** The program defines malloc itself, which takes precedence over any library's. */
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
 * The reason why a program cannot be measured, and what to do.
 *
 * @param package
 *         The package it could be linked with; NULL if that would not help.
 */
void obstacle_text(enum obstacle obstacle, const char *package, char text[OBSTACLE_TEXT]);

/** The obstacle in two or three words, for a list of programs. */
const char *obstacle_word(enum obstacle obstacle);

/** The probes that can be linked statically. */
enum probe_subject { PROBE_OF_ALLOCATIONS, PROBE_OF_WAITS };

/** Whether a program was linked with a probe, so that nothing prevents recording. */
enum linked_probe {
	PROBE_NONE,
	PROBE_SHARED,
	/** The probe is linked statically, so no second one may be loaded. */
	PROBE_STATIC,
};

enum linked_probe obstacle_avoided(const char *path, enum probe_subject subject);

/** Whether a program was linked with the recorder, and so needs none loaded into it. */
bool obstacle_has_recorder(const char *path);

#endif
