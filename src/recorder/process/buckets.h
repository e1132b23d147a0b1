/* SPDX-License-Identifier: MIT */
/* Counting in a histogram. */
#ifndef HOTPATH_BUCKETS_H
#define HOTPATH_BUCKETS_H

#include "atomic.h"
#include "lanes.h"
#include "processor.h"
#include "thread_state.h"

/* The counter of a bucket if it has 16 bits, as most have; else NULL. Another one may take its place when it is full. It is fetched
   from memory meanwhile. */
static inline uint16_t *hotpath__small_counter(const struct thread *me,
					       const uint32_t octaves[HP_OCTAVES], unsigned bucket)
{
	uint32_t octave = octaves[bucket / HP_OCTAVE_BUCKETS];
	uint16_t *counters = (uint16_t *)(void *)(me->base + hp_octave_at(octave));
	uint16_t *counter = &counters[bucket % HP_OCTAVE_BUCKETS];

	__builtin_prefetch(counter, 1);
	return hp_octave_counter(octave) == HP_COUNTER_16 ? counter : NULL;
}

static inline void hotpath__count_value(struct thread *me, uint32_t octaves[HP_OCTAVES],
					unsigned bucket, uint32_t calls)
{
	uint32_t *octave = &octaves[bucket / HP_OCTAVE_BUCKETS];
	unsigned counter = bucket % HP_OCTAVE_BUCKETS;
	void *counts = me->base + hp_octave_at(*octave);
	uint16_t *small = (uint16_t *)counts + counter;
	uint32_t *large = (uint32_t *)counts + counter;

	if (hp_octave_counter(*octave) == HP_COUNTER_16 && likely(*small + calls <= UINT16_MAX))
		store(small, (uint16_t)(*small + calls), RELAXED);
	else if (hp_octave_counter(*octave) == HP_COUNTER_32 && likely(*large + calls >= calls))
		store(large, *large + calls, RELAXED);
	else
		hotpath__count_slowly(me, octave, counter, calls);
}

#endif
