/* SPDX-License-Identifier: MIT */
/* Programs that a run has started and that could not be measured: they are named at its end. */
#ifndef UNSEEN_H
#define UNSEEN_H

#include "model.h"

/**
 * Take what the programs of a run have noted; it is there once.
 *
 * @return
 *         To be freed; NULL when there is nothing.
 */
char *unseen_take(const char *run);

/** Say it in a model, unless there is nothing. */
void unseen_note(struct hp_model *model, const char *text);

#endif
