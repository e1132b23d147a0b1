/* SPDX-License-Identifier: MIT */
/* Writes to the register of a run what its first process may not tell itself. */
#ifndef REGISTER_CHILD_H
#define REGISTER_CHILD_H

#include "run_child.h"

/** Append when a program began that cannot tell it, as the recorder is not loaded into it; in a new register if there is none. */
void register_start(const char *run, const char *program, pid_t pid);

/** Append how it ended, if the run has a register. */
void register_child(const char *run, const struct child *child);

#endif
