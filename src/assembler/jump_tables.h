/* SPDX-License-Identifier: MIT */
/* Tables of jumps that gcc makes for aarch64, with distances of one byte each. */
#ifndef HP_JUMP_TABLES_H
#define HP_JUMP_TABLES_H

#include "line.h"
#include "text.h"

#include <stdbool.h>

/** Whether a text has such tables. */
bool hp_has_byte_tables(struct piece assembly);

/** Write a text again, with distances of two bytes in all tables, and instructions that load these. */
void hp_widen_tables(struct hp_text *text, struct piece assembly);

#endif
