/* SPDX-License-Identifier: MIT */
/*
 * Why a section has nothing to show: a sentence in place of its rows, without the end of the line.
 *
 * Each of the functions returns false, and writes nothing, when there is something.
 */
#ifndef HP_NOTHING_H
#define HP_NOTHING_H

#include "model.h"
#include "text.h"

bool hp_nothing_measured(const struct hp_model *model, struct hp_text *text);
bool hp_nothing_in_tree(const struct hp_model *model, struct hp_text *text);
bool hp_nothing_allocated(const struct hp_model *model, struct hp_text *text);
bool hp_nothing_followed(const struct hp_model *model, struct hp_text *text);
bool hp_nothing_sampled(const struct hp_model *model, struct hp_text *text);
bool hp_nothing_waits(const struct hp_model *model, struct hp_text *text);
bool hp_no_threads(const struct hp_model *model, struct hp_text *text);

#endif
