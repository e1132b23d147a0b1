/* SPDX-License-Identifier: MIT */
/* Families about programs as a whole: their time, memory and threads, and what the profiler took and lost. */
#ifndef HP_METRICS_PROCESS_H
#define HP_METRICS_PROCESS_H

#include "series.h"

void hp_metrics_put_processes(struct hp_exposition *exposition,
			      const struct hp_metrics_source *sources, size_t count);

#endif
