/* SPDX-License-Identifier: MIT */
/* What a program does in the next seconds, for requests that are answered after these. */
#ifndef HP_WINDOW_H
#define HP_WINDOW_H

#include "programs.h"
#include "request.h"

/**
 * Answer with a model of a program: the whole time; or, if the request has a number of seconds under a name, what happens in the
 * seconds from now on.
 *
 * @param name
 *         Of the value in the query.
 * @param answer
 *         Answers the request with the model, now or later.
 */
void hp_window_answer(struct hp_request *request, struct hp_program *program, const char *name,
		      void (*answer)(struct hp_request *request, const struct hp_program *program,
				     const struct hp_model *model));

#endif
