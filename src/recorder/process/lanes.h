/* SPDX-License-Identifier: MIT */
/* What a lane consists of: stats, their arrays and counters, each allocated when it is first needed. */
#ifndef HOTPATH_LANES_H
#define HOTPATH_LANES_H

#include "segment.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

struct thread;

/* The stat of a site in a thread's lane, created when it is missing; NULL when there is no room. */
struct hp_stat *hotpath__stat(struct thread *me, uint32_t site);
/* The counters of an octave, allocated when they are missing; NULL when there is no room. */
uint32_t *hotpath__octave(struct thread *me, uint32_t *offset);
/* The arrays that belong to a stat, allocated when they are missing; NULL when there is no room. */
uint32_t *hotpath__carries(struct thread *me, struct hp_stat *stat);
uint64_t *hotpath__values(struct thread *me, struct hp_stat *stat);
char *hotpath__texts(struct thread *me, struct hp_stat *stat);
char *hotpath__long_texts(struct thread *me, struct hp_stat *stat);
/* Set the figures of a lane's stats to zero; or an array of counters. */
void hotpath__zero_stats(struct thread *me);
void hotpath__zero_counters(char *base, uint64_t at, unsigned count);
/* Allocate in the segment, for one lane; returns the offset, 0 when there is no room. */
uint64_t hotpath__lane_take(struct thread *me, uint64_t size);
/* Store the name of a lane's thread. */
void hotpath__lane_name(struct hp_lane *lane, const char *name);

#pragma GCC visibility pop

#endif
