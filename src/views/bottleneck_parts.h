/* SPDX-License-Identifier: MIT */
/* How the rows of one process are made; for the sources that do it. */
#ifndef HP_BOTTLENECK_PARTS_H
#define HP_BOTTLENECK_PARTS_H

#include "balance.h"

/** Add the rows of measured functions, sorted. Returns false when memory ran out. */
bool hp_bottlenecks_add_functions(struct hp_bottlenecks *all,
				  const struct hp_report_options *options);

/** Add the rows of threads, sorted. Returns false when memory ran out. */
bool hp_bottlenecks_add_threads(struct hp_bottlenecks *all);

/** Whether a thread is one of a row of threads. */
bool hp_bottleneck_has_thread(const struct hp_bottleneck *row, const struct hp_thread *thread);

/**
 * Give rows of threads the waits that are certainly theirs, if these are much of their time, before it is split. Returns false
 * when memory ran out.
 */
bool hp_bottlenecks_give_certain(struct hp_bottlenecks *all);

/** What the kernel knows of all threads of a process. */
struct hp_account hp_account_of(const struct hp_model *model);

/** CPU time between two samples: CPU timers may be slower than the requested rate. */
uint64_t hp_bottlenecks_look_ns(const struct hp_cpu *cpu);

/** These are the waits of a row. */
void hp_bottleneck_give_waits(struct hp_bottleneck *bottleneck, struct hp_waited waited);

/** Split what a row has spent, and decide. */
void hp_bottleneck_split(struct hp_bottleneck *bottleneck, const struct hp_account *account);

#endif
