/* SPDX-License-Identifier: MIT */
/*
 * Decides in one word what a function or a thread spends its time on.
 *
 *	|<------------------------------------ wall ----------------------------------->|
 *	| allocating | computing | queueing for | waiting: lock | idle | I/O | unexplained |
 *	|<-------- CPU --------->| a processor  |<------------- waiting ----------------->|
 *
 * Wall time is measured, without the profiler's part. The CPU time of functions comes from samples: the fewer, the
 * less exact. What remains after computing and queueing is waiting. Some CPU time of the process is not attributed:
 * only waiting that it cannot explain counts as waiting.
 *
 * Waits are measured by the clock, around the call that may block. A wait for a lock and an idle call are waiting from
 * beginning to end: samples that contradict them are too many. A call of I/O may also compute, when it copies what
 * the kernel has in memory: it is waiting only where computing and queueing leave room.
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
	/** It waits, and this is known: in the order of enum hp_waiting. */
	HP_VERDICT_LOCK,
	HP_VERDICT_IDLE,
	HP_VERDICT_DISK,
	HP_VERDICT_NETWORK,
	HP_VERDICT_PIPE,
};

/** What is waited for, in classes. */
enum hp_waiting {
	HP_WAITING_LOCK,
	/** Nothing to do yet: sleep, poll, a condition variable, the end of a thread and the like. */
	HP_WAITING_IDLE,
	/** From here on: input and output. The last is pipes, terminals and all others. */
	HP_WAITING_DISK,
	HP_WAITING_NETWORK,
	HP_WAITING_PIPE,
	HP_WAITINGS,
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
	/** Measured waits, by enum hp_waiting. */
	uint64_t waits[HP_WAITINGS];
	/** CPU time and queueing of the process that are attributed to no function or thread. */
	uint64_t unknown_ns;
	/** CPU time between two samples; 0 if CPU time is exact. */
	uint64_t look_ns;
	/** CPU time and queueing are not known: what is given of them limits I/O, and not shown. */
	bool is_unsampled;
};

/** The sum of the waits that belong to no I/O. */
uint64_t hp_spent_blocked(const struct hp_spent *spent);

/** The sum of the waits in calls of I/O. */
uint64_t hp_spent_io(const struct hp_spent *spent);

/**
 * The parts of the time. Each is at most the wall time, and CPU, queueing and waiting add up to it. If CPU time is not
 * known, waiting is what was measured of it, and the unexplained time is the rest.
 */
struct hp_split {
	uint64_t wall_ns;
	/** At least the allocation time, which is a part of it, and the time in the kernel. */
	uint64_t cpu_ns;
	uint64_t system_ns;
	uint64_t queue_ns;
	/** All waiting; and its parts, which add up to it. */
	uint64_t wait_ns;
	uint64_t waits[HP_WAITINGS];
	uint64_t unexplained_ns;
	uint64_t alloc_ns;
	bool is_unsampled;
	/** Calls of this class of I/O were made that may have computed: their time is unexplained. */
	bool is_unclear[HP_WAITINGS];
	enum hp_verdict verdict;
	enum hp_confidence confidence;
};

/** Split the time of a function, and decide. */
struct hp_split hp_split(const struct hp_spent *spent);

/** "cpu", "wait", "starved", "alloc", "mixed", "lock", "idle", "disk", "network" or "pipe"; NULL when there is none. */
const char *hp_verdict_name(enum hp_verdict verdict);

/** "low", "medium" or "high". */
const char *hp_confidence_name(enum hp_confidence confidence);

/** The largest of the measured waits. If all are 0, its share is 0. */
enum hp_waiting hp_split_largest_wait(const struct hp_split *split);

/** Whether most of the CPU time was in the kernel. */
bool hp_split_is_system(const struct hp_split *split);

#endif
