/* SPDX-License-Identifier: MIT */
/* The sampled stacks in JSON. */
#ifndef HP_STACKS_JSON_H
#define HP_STACKS_JSON_H

#include "json_writer.h"
#include "model.h"

/** The member "stacks", of the CPU, if there are any: modules, threads and frames, and stacks that refer to them by index. */
void hp_stacks_json(const struct hp_model *model, struct hp_json *json);

/** The member "wait_stacks": the stacks of waits, and the time that a sample stands for. */
void hp_wait_stacks_json(const struct hp_model *model, struct hp_json *json);

/** The member "alloc_stacks": the stacks of allocations, which have bytes and blocks. */
void hp_alloc_stacks_json(const struct hp_model *model, struct hp_json *json);

#endif
