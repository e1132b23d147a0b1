/* SPDX-License-Identifier: MIT */
/*
 * What a program that is about to be started would do with our libraries in LD_PRELOAD.
 *
 * Asked by whoever starts programs: the tool, and a measured program between fork or vfork and exec. So nothing here
 * allocates or locks, and all memory is on the stack.
 */
#ifndef HP_LOADING_H
#define HP_LOADING_H

#include <stdbool.h>

enum hp_loading {
	HP_LOADING_WORKS,
	/** Nothing is loaded into a static program; it passes LD_PRELOAD on to those that it starts. */
	HP_LOADING_STATIC,
	/** The dynamic linker of a setuid program, or one with capabilities, takes no libraries from whoever runs it. */
	HP_LOADING_PRIVILEGES,
	/** Our libraries need another C library than the program's, which would not start with them. */
	HP_LOADING_LIBC,
	/** The dynamic linker would print that our libraries are for another machine. */
	HP_LOADING_MACHINE,
};

/**
 * Look at the file of a program as it would be run by this user. Of a script, the program that runs it counts.
 *
 * @return
 *         HP_LOADING_WORKS also when the file cannot be read, or is none that is known.
 */
enum hp_loading hp_loading_find(const char *path);

/** Whether LD_PRELOAD must not have our libraries then: the program would not run as it does without them. */
static inline bool hp_loading_harms(enum hp_loading loading)
{
	return loading == HP_LOADING_LIBC || loading == HP_LOADING_MACHINE;
}

/**
 * Whether a program must be told by ASAN_OPTIONS to bear with a library that is loaded before AddressSanitizer.
 *
 * Most are told by libhotpath.so itself, which has the function that the sanitizer asks for its options. A program that
 * has that function too is asked first.
 */
bool hp_loading_asks_first(const char *path);

/** The option that tells it so. */
#define HP_LOADING_ASAN_OPTION "verify_asan_link_order=0"

#endif
