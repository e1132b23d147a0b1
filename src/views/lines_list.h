/* SPDX-License-Identifier: MIT */
/* The lines of a function in the order of its source, with their text. */
#ifndef HP_LINES_LIST_H
#define HP_LINES_LIST_H

#include "names/sampled_lines.h"
#include "report_options.h"
#include "text.h"

/**
 * List the hottest lines of a function, each with its text; those with at least 10 % of its samples are marked, and have the
 * lines around them. Texts are read when they are first needed.
 *
 * @param cpu
 *         The samples that the lines were read from, or a later reading of them, for the paths of modules.
 * @param most
 *         How many lines with samples to show.
 * @param options
 *         Colour, and the width at which texts are cut.
 * @return
 *         How many lines with samples are not shown.
 */
uint32_t hp_lines_list(struct hp_sampled_lines *lines, const struct hp_cpu *cpu, uint32_t most,
		       const struct hp_report_options *options, struct hp_text *text);

/** The text of the file that a line is in; NULL when there is none. Valid until the next call. */
const struct hp_source_text *hp_line_source(struct hp_sampled_lines *lines,
					    const struct hp_cpu *cpu,
					    const struct hp_sampled_line *line);

/** "work.c:20"; without a line, the instruction: "work+0x1a"; without that, the module. */
void hp_line_put_place(const struct hp_sampled_lines *lines, const struct hp_cpu *cpu,
		       const struct hp_sampled_line *line, struct hp_text *text);

/** "worker", "make_receipt (in worker)". */
void hp_line_put_function(const struct hp_sampled_lines *lines, const struct hp_sampled_line *line,
			  struct hp_text *text);

#endif
