/* SPDX-License-Identifier: MIT */
/* What requests ask about: a program, and sections of its report. */
#ifndef HP_ASKED_H
#define HP_ASKED_H

#include "programs.h"
#include "report_options.h"
#include "request.h"

/**
 * The program that a request names by `program`; if it does not, the only one that there is.
 *
 * @return
 *         NULL after the request was answered with what is wrong.
 */
struct hp_program *hp_asked_program(struct hp_request *request);

/**
 * Options for the report of a program: `section` and `limit` of the request, without which there are all rows, and what a
 * saved report can give.
 *
 * @return
 *         False after the request was answered with what is wrong.
 */
bool hp_asked_options(struct hp_request *request, const struct hp_program *program,
		      struct hp_report_options *options);

#endif
