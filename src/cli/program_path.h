/* SPDX-License-Identifier: MIT */
/* Finds a program as the shell does. */
#ifndef PROGRAM_PATH_H
#define PROGRAM_PATH_H

#include <limits.h>
#include <stdbool.h>

/** Find a program as the shell does. */
bool program_find(const char *name, char path[PATH_MAX]);

#endif
