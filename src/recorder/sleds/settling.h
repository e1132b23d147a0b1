/* SPDX-License-Identifier: MIT */
/*
 * Calls that are in progress when their function is not timed any more. Their exits stay armed until they have ended. Where that
 * is too dear, or is not possible, the exits go while calls are in progress: the frames of these are *stale*. Whether such a call
 * has ended cannot be known. So its thread ends it as soon as it is the innermost one, as of the moment when its exits went: from
 * then on, time is its caller's, as with any call that is not timed.
 */
#ifndef HOTPATH_SETTLING_H
#define HOTPATH_SETTLING_H

#include <stdbool.h>
#include <stdint.h>

struct frame;
struct thread;

#pragma GCC visibility push(hidden)

/* Whether a call of a function is in progress on any thread. The lock is held. */
bool hotpath__is_open_anywhere(uint32_t site);
/* The exits of a function have just gone, as of that time; whether a call was in progress was asked before. The lock is held. */
void hotpath__exits_go(uint32_t site, uint64_t now, bool is_open);
/* Let all threads know of those that have gone since the last time: each looks at its frames before its next call begins, and
   before the next call of a function with sleds ends. The lock is held. */
void hotpath__tell_exits_gone(void);

/* When the exits of a call went that was in progress then; 0 if they did not. */
uint64_t hotpath__stale_since(const struct frame *frame);
/* End the stale calls that are innermost. Others are ended as soon as they are that. The thread is busy. */
void hotpath__end_stale(struct thread *me);

#pragma GCC visibility pop

#endif
