/* SPDX-License-Identifier: MIT */
/* A function of a model as a row of those subjects that are about functions. */
#ifndef HP_FUNCTION_ROW_H
#define HP_FUNCTION_ROW_H

#include "subject.h"

/** A path without its folder. */
const char *hp_file_name(const char *path);

/** Whether a file is that of the program, which may have another name on the other side: so it tells nothing. */
bool hp_is_own_file(const struct hp_model *model, const char *path);

/** Tell which function it is; its share is left to the subject. */
void hp_function_row(const struct hp_model *model, const struct hp_function *function,
		     struct hp_subject_row *row);

#endif
