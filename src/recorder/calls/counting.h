/* SPDX-License-Identifier: MIT */
/* Counts calls that have ended; and finds out what it costs to measure a call. */
#ifndef HOTPATH_COUNTING_H
#define HOTPATH_COUNTING_H

#include "hotpath/abi.h"

#include "segment.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

struct branch;
struct recorder;
struct thread;

/* A call that ended. */
struct call {
	uint64_t end;
	uint64_t duration;
	uint64_t self;
	/* HP_CALL_NESTED and HP_CALL_SAME_NODE, or 0. */
	uint64_t flags;
};

/* Count a call that has ended. `open` was its frame or stray, NULL when it had none: the thread's logged value is
   stored with the call if it belongs to it. The thread is busy. */
void hotpath__count_call(struct thread *me, const struct branch *branch, struct call call,
			 const void *open);
/* Add the calls that wait in the ring to the stat's figures and histogram; the thread is busy. */
void hotpath__flush(struct thread *me, struct hp_stat *stat);
/* The same, and mark the thread ready: the hot path ends with a tail call of this. */
void hotpath__flush_and_leave(struct thread *me, struct hp_stat *stat);
/* Count a call that has no frame, by the site and start in its span. The thread is busy. */
void hotpath__end_alone(struct thread *me, const struct hotpath_span *span, uint64_t now);
/* Measure what a measured call costs, which is subtracted from all durations, unless that is known, or the recorder is at work
   on this thread. */
void hotpath__calibrate(struct recorder *recorder);

#pragma GCC visibility pop

#endif
