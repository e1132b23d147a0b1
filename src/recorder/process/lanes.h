/* SPDX-License-Identifier: MIT */
/* What a lane consists of: stats, their arrays and counters, each allocated when it is first needed. */
#ifndef HOTPATH_LANES_H
#define HOTPATH_LANES_H

#include "segment.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct thread;

/* The stat of a site in a thread's lane, created when it is missing; NULL when there is no room. */
struct hp_stat *hotpath__stat(struct thread *me, uint32_t site);
/* Count calls in a bucket of a histogram, by way of an octave whose counters are missing or full, or have 64 bits. */
void hotpath__count_slowly(struct thread *me, uint32_t *octave, unsigned counter, uint64_t calls);
/* The arrays that belong to a stat, allocated when they are missing; NULL when there is no room. */
uint64_t *hotpath__values(struct thread *me, struct hp_stat *stat);
char *hotpath__texts(struct thread *me, struct hp_stat *stat);
char *hotpath__long_texts(struct thread *me, struct hp_stat *stat);
/* Set the figures of a lane's stats to zero; or the counters of a histogram. */
void hotpath__zero_stats(struct thread *me);
void hotpath__zero_histogram(char *base, const uint32_t octaves[HP_OCTAVES]);
/* Allocate in the segment, for one lane; returns the offset, 0 when there is no room. */
uint64_t hotpath__lane_take(struct thread *me, uint64_t size);
/* Store the name of a lane's thread. */
void hotpath__lane_name(struct hp_lane *lane, const char *name);

#pragma GCC visibility pop

#endif
