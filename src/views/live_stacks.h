/* SPDX-License-Identifier: MIT */
/* The stacks with which the blocks of live rows were allocated. */
#ifndef HP_LIVE_STACKS_H
#define HP_LIVE_STACKS_H

#include "json_writer.h"
#include "model.h"
#include "report_options.h"
#include "text.h"

/** The stacks of live blocks, those with most live bytes first. */
struct hp_live_stacks;

/** NULL when memory ran out. The model must outlive it. */
struct hp_live_stacks *hp_live_stacks_open(const struct hp_model *model);
void hp_live_stacks_close(struct hp_live_stacks *stacks);

/** Write the first so many stacks of a row below its name, a line for each frame. Writes nothing if it has none. */
void hp_live_stacks_write(const struct hp_live_stacks *stacks, const struct hp_live *live,
			  size_t most, struct hp_text *text);

/** Write the stacks of a row as the member "stacks" of an object that has begun. */
void hp_live_stacks_json(const struct hp_live_stacks *stacks, const struct hp_live *live,
			 size_t most, struct hp_json *json);

#endif
