/* SPDX-License-Identifier: MIT */
/* The entry points by which a static copy of the recorder hands over to the one in the shared library. */
#ifndef HOTPATH_HANDOVER_H
#define HOTPATH_HANDOVER_H

#include "hotpath/abi.h"

#include "calls/entry_points.h"
#include "flow/flow.h"
#include "probe.h"
#include "sleds/sleds.h"

#include <stdbool.h>
#include <stddef.h>

struct hotpath__recorder_ops {
	size_t size;
#define OPERATION(name, function) __typeof__ (&(function))(name);
#include "handover.def"
#undef OPERATION
};

#pragma GCC visibility push(hidden)

/* The shared library's recorder, if this is a static copy in a process that has both; NULL when there is none. */
const struct hotpath__recorder_ops *hotpath__other_recorder(void);

/*
 * Set hotpath_calls_wanted; the lock is held. A forked child inherits the flag but not the state of the recorder. So the
 * flag is 0 only where the state of a child would be STATE_IDLE or STATE_OFF, too, unless the child itself starts.
 */
void hotpath__want_calls(bool wanted);

#pragma GCC visibility pop

#endif
