/* SPDX-License-Identifier: MIT */
/* The settings of a process: what the environment asks for. */
#ifndef HOTPATH_SETTINGS_H
#define HOTPATH_SETTINGS_H

#include "place.h"
#include "segment.h"

#include <stdbool.h>

/* Whether the environment asks for CPU sampling; if it does, the program's own options do not count. */
enum cpu_wish {
	CPU_UNSET = 0,
	CPU_OFF,
	CPU_ON,
};

enum {
	CPU_RATE_MAX = 10000,
};

/* What the environment asks for, read once. */
struct settings {
	bool off;
	bool monotonic;
	bool tree;
	enum hp_alloc_mode alloc;
	/* Whether to sample the CPU, how many times per second, and by which source. */
	enum cpu_wish cpu;
	unsigned cpu_rate;
	enum hp_cpu_source cpu_source;
	/* What the probe of waits records: bits of enum hp_waits. */
	unsigned waits;
	/* What measuring may cost, in percent; 0 for no limit. */
	unsigned max_overhead;
	unsigned logs_limit;
	/* The maximal length of logged texts in bytes; 0 for what fits into their fixed size. */
	unsigned max_log_len;
	/* HOTPATH_USER_METADATA is set, and valid. */
	bool has_metadata;
	unsigned entries_limit;
	unsigned shutdown_ms;
	char run[HP_RUN_MAX];
};

#pragma GCC visibility push(hidden)

const struct settings *hotpath__settings(void);
/* The allocator does not tell the size of a block: turn the mode HP_ALLOC_FREED into HP_ALLOC_COUNT. */
void hotpath__settings_no_rounding(void);

#pragma GCC visibility pop

#endif
