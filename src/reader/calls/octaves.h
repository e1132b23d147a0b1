/* SPDX-License-Identifier: MIT */
/* A histogram that is added up, with memory for those octaves only that have calls: of many functions at once, it takes little. */
#ifndef HP_OCTAVES_SUM_H
#define HP_OCTAVES_SUM_H

#include "check.h"
#include "histogram.h"

#include <stdbool.h>

/** Zero-initialised. */
struct hp_octaves {
	/** HP_OCTAVE_BUCKETS counters each, from malloc; NULL if there are no calls. */
	uint64_t *counts[HP_OCTAVES];
	/** Memory ran out, and something is missing. */
	bool is_incomplete;
};

/** A copy of the counters of an octave. */
struct hp_octave {
	uint64_t counts[HP_OCTAVE_BUCKETS];
};

/** Copy the counters of an octave, which somebody may be writing to. */
void hp_octave_copy(struct hp_octave *copy, struct hp_counters counters);

/** The sum of the counters. */
uint64_t hp_octave_calls(const struct hp_octave *copy);

/** Add a copy. */
void hp_octaves_add_copy(struct hp_octaves *octaves, unsigned octave, const struct hp_octave *copy);

/** Add the counters of an octave, which somebody may be writing to. */
void hp_octaves_add(struct hp_octaves *octaves, unsigned octave, struct hp_counters counters);

/** Add calls to a bucket. */
void hp_octaves_count(struct hp_octaves *octaves, unsigned bucket, uint64_t calls);

/** Free what it holds, and zero it. */
void hp_octaves_clear(struct hp_octaves *octaves);

#endif
