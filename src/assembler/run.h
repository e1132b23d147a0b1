/* SPDX-License-Identifier: MIT */
/* Runs the real assembler. */
#ifndef HP_ASSEMBLER_RUN_H
#define HP_ASSEMBLER_RUN_H

#include "text.h"

/** Say in one line what could not be done, and return the status to end with. */
int hp_fail(const char *what, const char *which, int error);

/**
 * Run the assembler. Returns its status; 1 if it could not be run.
 *
 * @param text
 *         Its standard input; NULL for ours.
 * @param output, messages
 *         Descriptors for its standard output and error.
 */
int hp_assemble(const char *assembler, char *const *words, const struct hp_text *text, int output,
		int messages);

#endif
