/* SPDX-License-Identifier: MIT */
/* The words of the stack that a walk has read: as long as they have the same values, the same walk finds the same callers. */
#ifndef HOTPATH_WALK_TRACE_H
#define HOTPATH_WALK_TRACE_H

#include "segment.h"

#include <stdbool.h>
#include <stdint.h>

/* Words of a trace: two for each frame, and some for one that a signal interrupted. */
enum { TRACE_WORDS = 2 * HP_ORIGIN_DEPTH_MAX + 8 };

struct walk_trace {
	/* More than TRACE_WORDS if there was no room, or a word was of a stack that cannot be read directly. */
	unsigned count;
	/* The highest address of a word. */
	uintptr_t high;
	struct {
		uintptr_t at;
		uintptr_t value;
	} words[TRACE_WORDS];
};

static inline bool hotpath__is_traced(const struct walk_trace *trace)
{
	return trace->count <= TRACE_WORDS;
}

static inline void hotpath__trace(struct walk_trace *trace, uintptr_t at, uintptr_t value)
{
	if (trace->count >= TRACE_WORDS) {
		trace->count = TRACE_WORDS + 1;
		return;
	}
	trace->words[trace->count].at = at;
	trace->words[trace->count++].value = value;
	trace->high = at > trace->high ? at : trace->high;
}

static inline void hotpath__untrace(struct walk_trace *trace)
{
	trace->count = TRACE_WORDS + 1;
}

#endif
