/* SPDX-License-Identifier: MIT */
/* Collects programs that a run has started but that could not be measured, for a note at its end. */
#ifndef UNSEEN_H
#define UNSEEN_H

#include "model.h"
#include "process/register.h"

/** Add a note to a model, if there is anything in the register of its run. */
void unseen_note(struct hp_model *model, const struct hp_register *found);

#endif
