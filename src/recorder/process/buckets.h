/* SPDX-License-Identifier: MIT */
/* Counting in a histogram. */
#ifndef HOTPATH_BUCKETS_H
#define HOTPATH_BUCKETS_H

#include "atomic.h"
#include "lanes.h"
#include "processor.h"
#include "thread_state.h"

/* Add calls to a bucket. */
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

/* Where the lowest 16 bits of a bucket's counter are in the segment, whatever size it has; 0 if there is no counter yet. */
static inline uint32_t hotpath__low_counter(const uint32_t octaves[HP_OCTAVES], unsigned bucket)
{
	uint32_t octave = octaves[bucket / HP_OCTAVE_BUCKETS];
	unsigned counter = bucket % HP_OCTAVE_BUCKETS << hp_octave_counter(octave);

	static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the lowest bits are first");
	return unlikely(!octave) ? 0 : (uint32_t)hp_octave_at(octave) + counter;
}

/* Add one call to the lowest 16 bits of a counter; false if they are UINT16_MAX, which is not done here: then the counter may be full. */
static inline bool hotpath__count_low(struct thread *me, uint32_t counter)
{
	uint16_t *low = (uint16_t *)(void *)(me->base + counter);

	if (unlikely(*low == UINT16_MAX))
		return false;
	store(low, (uint16_t)(*low + 1), RELAXED);
	return true;
}

#endif
