/* SPDX-License-Identifier: MIT */
/* One line in place of a report that has nothing to show. */
#ifndef HP_ADVICE_H
#define HP_ADVICE_H

#include "model.h"
#include "text.h"

/** @param model The model of a program that measured nothing, with what was requested and is missing. */
void hp_advice_write(const struct hp_model *model, struct hp_text *text);

#endif
