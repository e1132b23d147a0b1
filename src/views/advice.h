/* SPDX-License-Identifier: MIT */
/* What to do when nothing was measured. */
#ifndef HP_ADVICE_H
#define HP_ADVICE_H

#include "model.h"
#include "text.h"

/** @param model What is known of a program that measured nothing, and of what was asked for and is missing. */
void hp_advice_write(const struct hp_model *model, struct hp_text *text);

#endif
