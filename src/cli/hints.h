/* SPDX-License-Identifier: MIT */
/* The closing line of a run in a terminal: what else could be asked for. */
#ifndef HINTS_H
#define HINTS_H

#include "measured.h"

/**
 * Write the line if the report is a table in a terminal. It names what was not used and makes sense for the program.
 *
 * @param input
 *         With report options that fit the terminal, and the program as its first argument.
 * @param run
 *         The recording that the report is about.
 */
void hints_write(const struct input *input, const struct recording *recording,
		 const struct hp_model *run, struct hp_text *text);

#endif
