/* SPDX-License-Identifier: MIT */
/* Indirect tail calls that clang makes for aarch64, where it does not mark them. */
#ifndef HP_TAIL_CALLS_H
#define HP_TAIL_CALLS_H

#include "line.h"
#include "text.h"

#include <stdbool.h>

/** Whether a text has functions of clang with indirect jumps. */
bool hp_has_unmarked_jumps(struct piece assembly);

/** Write a text again, with a mark behind each indirect jump that can only be a tail call. */
void hp_mark_tail_calls(struct hp_text *text, struct piece assembly);

#endif
