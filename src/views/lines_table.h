/* SPDX-License-Identifier: MIT */
/* The source lines of samples, as a table, a listing with their text, or JSON. */
#ifndef HP_LINES_TABLE_H
#define HP_LINES_TABLE_H

#include "names/sampled_lines.h"
#include "report_options.h"
#include "text.h"

/**
 * Write the lines of a function, or the hottest lines of the program, as a listing or a table, or all of them as JSON.
 *
 * @param name
 *         The function that was asked for; NULL for the whole program.
 */
void hp_lines_write(struct hp_sampled_lines *lines, const struct hp_cpu *cpu, const char *name,
		    const struct hp_report_options *options, struct hp_text *text);

#endif
