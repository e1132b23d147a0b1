/* SPDX-License-Identifier: MIT */
/* The state of CPU sampling in this process. */
#ifndef HOTPATH_SAMPLING_STATE_H
#define HOTPATH_SAMPLING_STATE_H

#include "segment.h"

#include <stdbool.h>
#include <stdint.h>

/* CPU sampling of the process. Protected by the lock, except for fields that are said to be read without it. */
struct sampling {
	/* New threads are to be sampled. This and the signal are read without the lock. */
	bool on;
	int signal;
	enum hp_cpu_source source;
	enum hp_cpu_end end;
	unsigned rate;
	/* CPU time between samples of a thread; does not change while sampling is on. */
	uint64_t period_ns;
	/* CPU time and system time of the process that it had used before, if it was recorded without sampling
	   until then; else 0, and loading_ns is the CPU time that was needed to load the program. */
	uint64_t before_ns;
	uint64_t before_system_ns;
	uint64_t loading_ns;
	/* The program runs under valgrind, which would report what we read of its stack. Read without the lock. */
	bool is_watched;
	struct sampler *samplers;
	struct sampler *spare;
	unsigned count;
	/* Unused structs with the start routine and argument of a thread that is being created. */
	struct hotpath__task *spare_tasks;
	/* The table of executable mappings and its length, read without the lock; and the time (ticks) from which
	   on an address that is in none of them may be looked up again. */
	struct hotpath__range *ranges;
	unsigned range_count;
	uint64_t lookups_after;
	/* The cache of rules for unwinding, read without the lock; NULL until needed. */
	struct hotpath__cached_rule *rules;
	/* Bytes of the segment that stacks use. */
	uint64_t stack_bytes;
};

#endif
