/* SPDX-License-Identifier: MIT */
/* The stacks of a window: samples, waits or allocations between two reads. */
#ifndef HP_CPU_SINCE_H
#define HP_CPU_SINCE_H

#include "cpu_time.h"

/**
 * Take what was known earlier out of what is known now, and drop stacks in which nothing happened. Live blocks and their peaks
 * stay as they are.
 *
 * A thread that has ended meanwhile has lost its number: what it had is taken out of the same stack of another thread if its
 * own is not found.
 *
 * @param functions
 *         functions[row] is the row of a function now; negative if it has none.
 * @return
 *         0, or -ENOMEM.
 */
int hp_cpu_subtract(struct hp_cpu *cpu, const struct hp_cpu *earlier, const int32_t *functions);

#endif
