/* SPDX-License-Identifier: MIT */
/* Writes to the register of a run how its first process ended: its parent is the tool itself. */
#ifndef REGISTER_CHILD_H
#define REGISTER_CHILD_H

#include "run_child.h"

/** Append a record, if any process of the run has made a register; or make it, if none can. */
void register_child(const char *run, const struct child *child, bool none_can);

#endif
