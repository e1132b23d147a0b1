/* SPDX-License-Identifier: MIT */
/* Functions that allocate for others, which are looked through: who calls them wanted the memory. */
#ifndef HP_WRAPPERS_H
#define HP_WRAPPERS_H

#include <stdbool.h>

/** Bytes of a list of names, with the '\0'. */
enum { HP_WRAPPERS_SIZE = 1024 };

/**
 * Name more wrappers, beside those that are well known, for all models that are read from then on. Not to be called while one
 * is read.
 *
 * @param names
 *         Separated by commas; one that ends with '*' stands for all that begin so. It is copied. Empty for none.
 * @return
 *         False if the list is too long.
 */
bool hp_wrappers_name(const char *names);

/** Whether the user has named any wrappers. */
bool hp_wrappers_are_named(void);

/**
 * Whether a function is a wrapper, by its name.
 *
 * @param function
 *         As shown. What follows a '.', which compilers add, or a '(' does not count: "xmalloc.part.0", "xmalloc (in load)".
 */
bool hp_is_wrapper(const char *function);

#endif
