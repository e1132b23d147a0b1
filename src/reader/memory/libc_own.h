/* SPDX-License-Identifier: MIT */
/* Blocks that the C library keeps for itself, as long as the program runs: nobody can free them. */
#ifndef HP_LIBC_OWN_H
#define HP_LIBC_OWN_H

#include <stdbool.h>

/**
 * Whether what a function allocates is the C library's own: buffers of streams, tables of atexit, locales, what the
 * dynamic linker knows of libraries. What it hands out, as strdup and fopen do, is the program's.
 *
 * @param path
 *         The file that the function is in; NULL when it is not known.
 * @param function
 *         The name of the function that calls malloc; NULL when its file has no symbol for it.
 */
bool hp_is_libc_own(const char *path, const char *function);

/** Whether a file is the C library or its dynamic linker; NULL is not. */
bool hp_is_libc_file(const char *path);

#endif
