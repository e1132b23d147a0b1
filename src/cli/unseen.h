/* SPDX-License-Identifier: MIT */
/* Collects programs that a run has started but that could not be measured, for a note at its end. */
#ifndef UNSEEN_H
#define UNSEEN_H

#include "model.h"

/**
 * Read and remove what the programs of a run noted.
 *
 * @return
 *         To be freed; NULL when there is nothing.
 */
char *unseen_take(const char *run);

/** Add a note to a model, if there is anything. */
void unseen_note(struct hp_model *model, const char *text);

#endif
