/* SPDX-License-Identifier: MIT */
/* Opens the console, for the commands that do. */
#ifndef CONSOLE_OPEN_H
#define CONSOLE_OPEN_H

#include "options.h"

/**
 * Watch a program until the user leaves.
 *
 * @param ended_by
 *         The signal that asked to end; 0 for none.
 * @return
 *         STATUS_OK, or STATUS_ERROR after one line on standard error.
 */
int console_open(const struct input *input, const char *target, int *ended_by);

#endif
