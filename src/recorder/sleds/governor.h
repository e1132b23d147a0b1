/* SPDX-License-Identifier: MIT */
/*
 * The governor keeps what measuring costs within a budget (HOTPATH_MAX_OVERHEAD). From the functions with sleds that are called
 * most often, and so are short, it takes first their time: their calls are counted. Where counting is too dear as well, it
 * disarms them. After a while such a function is timed again, to see whether it is called as often as before.
 */
#ifndef HOTPATH_GOVERNOR_H
#define HOTPATH_GOVERNOR_H

struct thread;

#pragma GCC visibility push(hidden)

/* Look at what measuring has cost on this thread since the last look, and see to it that it is not too much. The thread is
   busy. */
void hotpath__govern(struct thread *me);

#pragma GCC visibility pop

#endif
