/* SPDX-License-Identifier: MIT */
/*
 * The time that the recorder takes to get ready, and to end: for the process, and for each thread. It is in no measured call, but
 * part of the profiler's cost. In a short process, or in one of many short threads, it is most of that.
 */
#ifndef HOTPATH_SETUP_TIME_H
#define HOTPATH_SETUP_TIME_H

#pragma GCC visibility push(hidden)

/* Such work begins, or ends, on this thread. It may have parts that say so themselves. Its time is added to that in the segment, now
   or when there is one. */
void hotpath__setup_begins(void);
void hotpath__setup_ends(void);
/* Forget the time that no segment has yet: nothing is recorded, or this process was just forked and the time is its parent's. */
void hotpath__setup_forget(void);

#pragma GCC visibility pop

#endif
