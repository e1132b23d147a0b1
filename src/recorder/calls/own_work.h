/* SPDX-License-Identifier: MIT */
/*
 * Work that the recorder does on a thread of the program outside of measured calls, as when modules are loaded and unloaded: it is
 * the profiler's cost, and not part of the call around.
 */
#ifndef HOTPATH_OWN_WORK_H
#define HOTPATH_OWN_WORK_H

#include <stdint.h>

/* When it began, in ticks; 0 if nothing is recorded on this thread. */
struct own_work {
	uint64_t since;
};

#pragma GCC visibility push(hidden)

/* Such work begins, or ends, on the calling thread. The lock is not held. */
struct own_work hotpath__own_work_begins(void);
void hotpath__own_work_ends(struct own_work work);

#pragma GCC visibility pop

#endif
