/* SPDX-License-Identifier: MIT */
/*
 * Predicts how a program would react to our libraries in LD_PRELOAD before it is started.
 *
 * Used by the tool, and by a measured program between fork or vfork and exec. So nothing here allocates or locks, and
 * all memory is on the stack.
 */
#ifndef HP_LOADING_H
#define HP_LOADING_H

#include <stdbool.h>

enum hp_loading {
	HP_LOADING_WORKS,
	/** Nothing is loaded into a static program; it passes LD_PRELOAD on to those that it starts. */
	HP_LOADING_STATIC,
	/** The dynamic linker ignores LD_PRELOAD in setuid programs and those with capabilities. */
	HP_LOADING_PRIVILEGES,
	/** The program uses a different C library than ours, and would not start with our libraries. */
	HP_LOADING_LIBC,
	/** The dynamic linker would print that our libraries are for another machine. */
	HP_LOADING_MACHINE,
};

/**
 * Examine the file of a program as it would be run by this user. For a script, its interpreter counts.
 *
 * @return
 *         HP_LOADING_WORKS also when the file cannot be read, or is none that is known.
 */
enum hp_loading hp_loading_find(const char *path);

/**
 * Whether our libraries must be removed from LD_PRELOAD, because the program would not run as it does without them.
 */
static inline bool hp_loading_harms(enum hp_loading loading)
{
	return loading == HP_LOADING_LIBC || loading == HP_LOADING_MACHINE;
}

/**
 * Whether ASAN_OPTIONS must be set so that AddressSanitizer accepts a library that is loaded before it.
 *
 * For most programs libhotpath.so does it by defining __asan_default_options. If the program defines this function
 * too, its own is used.
 */
bool hp_loading_asks_first(const char *path);

/** The option that tells it so. */
#define HP_LOADING_ASAN_OPTION "verify_asan_link_order=0"

#endif
