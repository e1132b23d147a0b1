/* SPDX-License-Identifier: MIT */
/* Finds libraries and helper programs relative to the tool. */
#ifndef LIBRARY_PATH_H
#define LIBRARY_PATH_H

#include <limits.h>
#include <stdbool.h>

/**
 * Find a library of ours: where it was installed with the tool, or where it was built with it.
 *
 * @param name
 *         A file, such as "libhotpath.so".
 * @param path
 *         Becomes its absolute path, without links.
 * @return
 *         Whether there is such a file.
 */
bool library_find(const char *name, char path[PATH_MAX]);

/** Find a program of ours that is no command of its own, such as "hotpath-demo", in the same way. */
bool helper_find(const char *name, char path[PATH_MAX]);

#endif
