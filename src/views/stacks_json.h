/* SPDX-License-Identifier: MIT */
/* The stacks that were seen, in JSON. */
#ifndef HP_STACKS_JSON_H
#define HP_STACKS_JSON_H

#include "json_writer.h"
#include "model.h"

/** The member "stacks", if there are any: modules, threads and frames, and stacks that name them by number. */
void hp_stacks_json(const struct hp_model *model, struct hp_json *json);

#endif
