/* SPDX-License-Identifier: MIT */
/* A function of a model as a row of a subject. */
#ifndef HP_FUNCTION_ROW_H
#define HP_FUNCTION_ROW_H

#include "file_name.h"
#include "subject.h"

/**
 * Whether a file is the program itself: it may have another name on the other side, so it does not identify anything.
 */
bool hp_is_own_file(const struct hp_model *model, const char *path);

/** Fill in the identity of the function; its share is set by the subject. */
void hp_function_row(const struct hp_model *model, const struct hp_function *function,
		     struct hp_subject_row *row);

#endif
