/* SPDX-License-Identifier: MIT */
/*
 * What a function or a thread spends its time with, in one word.
 *
 *	|<--------------------------- wall -------------------------->|
 *	| allocating | computing  | queueing for a       | waiting    |
 *	|<--------- CPU --------->| processor            |            |
 *
 * Wall time is measured, without what the profiler takes; of functions CPU time is known by samples, and the less of it
 * there is, the less is known. What is left when computing and queueing are taken off is waiting. Some CPU time may be
 * anybody's: waiting is only what no such time can explain.
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

/** By how often a thread would have been looked at in that time, had it computed all the time. */
enum hp_confidence {
	HP_CONFIDENCE_LOW,
	/** From 25 looks on: the share of CPU time is known to about 10 points. */
	HP_CONFIDENCE_MEDIUM,
	/** From 400 looks on: to about 2 points. */
	HP_CONFIDENCE_HIGH,
};

/** What is known of the time of a function itself, or of a thread. */
struct hp_spent {
	uint64_t wall_ns;
	/** And of it, what was in the kernel. */
	uint64_t cpu_ns;
	uint64_t system_ns;
	uint64_t queue_ns;
	uint64_t alloc_ns;
	/** CPU time and queueing of the process that may be anybody's. */
	uint64_t unknown_ns;
	/** CPU time from one look to the next; 0 when CPU time is exact. */
	uint64_t look_ns;
};

/** What it consists of. The first of these are at most the wall time, and CPU, queueing and waiting are all of it. */
struct hp_split {
	uint64_t wall_ns;
	/** Not less than what allocating took, which is a part of it, nor what was in the kernel. */
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
