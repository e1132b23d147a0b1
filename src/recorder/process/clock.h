/* SPDX-License-Identifier: MIT */
/* The recorder's clock: the processor's counter, or the kernel's monotonic clock. Its unit is the tick. */
#ifndef HOTPATH_CLOCK_H
#define HOTPATH_CLOCK_H

#include "atomic.h"
#include "processor.h"
#include "segment.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

extern bool hotpath__monotonic;

uint64_t hotpath__monotonic_ns(void);

/* The time now, by the clock that was chosen. */
static inline uint64_t hotpath__ticks(void)
{
	return unlikely(hotpath__monotonic) ? hotpath__monotonic_ns() : hotpath__counter();
}

/* Choose the clock. Returns the present moment, from which its frequency is measured. */
struct hp_moment hotpath__clock_choose(bool monotonic);
/* Fill in the header's clock fields, with the moment at which the clock was chosen. */
void hotpath__clock_init(struct hp_header *header, struct hp_moment start);
/* Read both clocks together. */
struct hp_moment hotpath__clock_moment(void);
/* Store a moment in the segment. */
static inline void hotpath__set_moment(struct hp_moment *moment, struct hp_moment now)
{
	store(&moment->ticks, now.ticks, RELAXED);
	store(&moment->monotonic_ns, now.monotonic_ns, RELAXED);
}
/* Compute the ticks per second again, more exactly, now that more time has passed. */
void hotpath__clock_update(struct hp_header *header);

/* Convert 1/256 ticks to ticks. The value may be negative: a clock that is read before the work is done sees less
   than the work takes. */
static inline uint64_t hotpath__ticks_of(uint64_t parts)
{
	return (uint64_t)((int64_t)parts >> 8);
}

/* A duration from which a cost was subtracted, which may be negative then; but no less than `least`, so that no call is
   shorter than the calls inside it if the cost was estimated too high. Without a branch, as below. */
static inline uint64_t hotpath__at_least(uint64_t duration, uint64_t least)
{
	uint64_t result = (int64_t)duration > (int64_t)least ? duration : least;

	make_opaque(result);
	return result;
}

/* a - b, or 0 if that is negative. Without a branch, which would often be mispredicted for short calls. */
static inline uint64_t hotpath__less(uint64_t a, uint64_t b)
{
	uint64_t rest = a > b ? a - b : 0;

	__asm__("" : "+r"(rest));
	return rest;
}

#pragma GCC visibility pop

#endif
