/* SPDX-License-Identifier: MIT */
/*
 * What a function spends its time with, in one word.
 *
 *	|<---------------- wall ---------------->|
 *	| allocating | computing  |   waiting    |
 *	|<--------- CPU --------->|
 *
 * Wall time and the time of malloc and free are measured; CPU time is known by samples, and the less of it there
 * is, the less is known.
 */
#ifndef HP_VERDICT_H
#define HP_VERDICT_H

#include <stdint.h>

enum hp_verdict {
	HP_VERDICT_CPU,
	HP_VERDICT_WAIT,
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

/** The time of a function itself, and what it consists of. */
struct hp_split {
	uint64_t wall_ns;
	/** Not more than the wall time, and not less than what allocating took, which is a part of it. */
	uint64_t cpu_ns;
	uint64_t wait_ns;
	uint64_t alloc_ns;
	enum hp_verdict verdict;
	enum hp_confidence confidence;
};

/**
 * Split the time of a function, and decide.
 *
 * @param cpu_ns
 *         By samples.
 * @param look_ns
 *         CPU time from one look to the next; 0 when nobody looked.
 */
struct hp_split hp_split(uint64_t wall_ns, uint64_t cpu_ns, uint64_t alloc_ns, uint64_t look_ns);

/** "cpu", "wait", "alloc" or "mixed". */
const char *hp_verdict_name(enum hp_verdict verdict);

/** "low", "medium" or "high". */
const char *hp_confidence_name(enum hp_confidence confidence);

#endif
