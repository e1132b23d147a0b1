/* SPDX-License-Identifier: MIT */
/* From the samples of lanes to the CPU time of a process, and to the stacks of its waits. */
#ifndef HP_SAMPLES_H
#define HP_SAMPLES_H

#include "build.h"

/** Read what is not of one function: totals, threads, and stacks. Returns false when memory ran out. */
bool hp_samples_read(const struct hp_build *build);

/** Read the stacks of waits. The same. */
bool hp_waits_read(const struct hp_build *build);

#endif
