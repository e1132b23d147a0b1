/* SPDX-License-Identifier: MIT */
/*
 * Samples the program of a run from outside, as 'hotpath attach' does, because our library cannot be loaded into it: it is
 * linked statically, as Go programs are, or has other privileges or another C library.
 *
 * Another process does this, which ends with the program: attaching takes signals and locks of its own.
 */
#ifndef RUN_OUTSIDE_H
#define RUN_OUTSIDE_H

#include "measured.h"

/** The program has started. Returns the process that samples it; -1 when there is none. */
pid_t outside_begin(pid_t program, const struct measured *measured);

/** The program has ended, and nobody has waited for it yet: wait until its segment is complete. */
void outside_end(pid_t sampler);

#endif
