/* SPDX-License-Identifier: MIT */
/*
 * Decides in one word what a function or a thread spends its time on.
 *
 *	|<--------------------------- wall -------------------------->|
 *	| allocating | computing  | queueing for a       | waiting    |
 *	|<--------- CPU --------->| processor            |            |
 *
 * Wall time is measured, without the profiler's part. The CPU time of functions comes from samples: the fewer, the
 * less exact. What remains after computing and queueing is waiting. Some CPU time of the process is not attributed:
 * only waiting that it cannot explain counts as waiting.
 */
#ifndef HP_VERDICT_H
#define HP_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

enum hp_verdict {
	/** Nothing is known. */
	HP_VERDICT_NONE,
	HP_VERDICT_CPU,
	HP_VERDICT_WAIT,
	/** It was ready to run, and had no processor. */
	HP_VERDICT_STARVED,
	HP_VERDICT_ALLOC,
	HP_VERDICT_MIXED,
};

/** By the number of samples that were possible in the time, if the thread had computed all the time. */
enum hp_confidence {
	HP_CONFIDENCE_LOW,
	/** From 25 possible samples on: the share of CPU time is known to about 10 percentage points. */
	HP_CONFIDENCE_MEDIUM,
	/** From 400 possible samples on: to about 2 percentage points. */
	HP_CONFIDENCE_HIGH,
};

/** What is known of the own time of a function, or of the time of a thread. */
struct hp_spent {
	uint64_t wall_ns;
	/** CPU time, and the part of it in the kernel. */
	uint64_t cpu_ns;
	uint64_t system_ns;
	uint64_t queue_ns;
	uint64_t alloc_ns;
	/** CPU time and queueing of the process that are attributed to no function or thread. */
	uint64_t unknown_ns;
	/** CPU time between two samples; 0 if CPU time is exact. */
	uint64_t look_ns;
};

/** The parts of the time. Each is at most the wall time, and CPU, queueing and waiting add up to it. */
struct hp_split {
	uint64_t wall_ns;
	/** At least the allocation time, which is a part of it, and the time in the kernel. */
	uint64_t cpu_ns;
	uint64_t system_ns;
	uint64_t queue_ns;
	uint64_t wait_ns;
	uint64_t alloc_ns;
	enum hp_verdict verdict;
	enum hp_confidence confidence;
};

/** Split the time of a function, and decide. */
struct hp_split hp_split(const struct hp_spent *spent);

/** "cpu", "wait", "starved", "alloc" or "mixed"; NULL when there is none. */
const char *hp_verdict_name(enum hp_verdict verdict);

/** "low", "medium" or "high". */
const char *hp_confidence_name(enum hp_confidence confidence);

/** Whether most of the CPU time was in the kernel. */
bool hp_split_is_system(const struct hp_split *split);

#endif
