/* SPDX-License-Identifier: MIT */
/* The entry points by which a static copy of the recorder hands over to the one in the shared library. */
#ifndef HOTPATH_HANDOVER_H
#define HOTPATH_HANDOVER_H

#include "flow/flow.h"

struct hotpath__recorder_ops {
	size_t size;
#define OPERATION(name, function) __typeof__ (&(function))(name);
#include "handover.def"
#undef OPERATION
};

#endif
