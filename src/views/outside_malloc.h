/* SPDX-License-Identifier: MIT */
/* Explains the RSS of a process beside the blocks of malloc, in one line and in JSON. */
#ifndef HP_OUTSIDE_MALLOC_H
#define HP_OUTSIDE_MALLOC_H

#include "json_writer.h"
#include "model.h"
#include "text.h"

/** Writes nothing when nothing is known. */
void hp_outside_write(const struct hp_model *model, struct hp_text *text);

/** The member "outside_malloc"; null when nothing is known. */
void hp_outside_json(const struct hp_outside *outside, struct hp_json *json);

#endif
