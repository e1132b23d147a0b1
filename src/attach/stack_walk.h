/* SPDX-License-Identifier: MIT */
/*
 * Unwinds the stack of a sample, by the copy that the sample has of it and the unwind tables of the program's files.
 *
 *	sp ──► │ copy of the stack             │ the rest was not copied
 *	       ├ by tables, or frame pointers ─►├ by the kernel's walk along frame pointers ─►
 *
 * Code without tables, such as generated code, is left along the frame pointer. Where the copy ends, the kernel's walk goes on,
 * if it came to the same function; so it does for a sample without a copy.
 */
#ifndef HP_STACK_WALK_H
#define HP_STACK_WALK_H

#include "code_map.h"
#include "perf_events.h"
#include "thread_lanes.h"

/**
 * Make a stack of the segment from a sample.
 *
 * @param depth
 *         How many frames the kernel's walk has at most.
 * @param stack
 *         Its depth is 0 when the sample has none.
 */
void hp_stack_walk(struct hp_code_map *code, const struct hp_perf_sample *sample, size_t depth,
		   struct hp_sampled_stack *stack);

#endif
