/* SPDX-License-Identifier: MIT */
/* Decides which frame of a stack is a caller, and whether the stack is complete, once its places have names. */
#ifndef HP_STACK_CALLERS_H
#define HP_STACK_CALLERS_H

#include "stacks.h"

/** A flag of a frame that is still a place: its address is from the link register, or from the top of the stack. */
#define HP_PLACE_IS_LINK (UINT32_C(1) << 31)

/**
 * Keep the marked frame if it is the caller of the first frame, and remove it otherwise.
 *
 * Measured calls before a marked frame that is kept are open in the caller, so they belong after the first frame; also
 * if the first frame hides its caller. Otherwise they are open in the first frame, and belong before it.
 */
void hp_stack_decide_link(const struct hp_stacks *stacks, struct hp_cpu_stack *stack);

/**
 * Whether a stack is complete: it reaches the start of its thread, and each function on the way tells its caller, or
 * unwind tables do. A single frame is not complete even if the frame pointer is 0: nothing may have set that register.
 */
bool hp_stack_is_whole(const struct hp_stacks *stacks, const struct hp_cpu_stack *stack);

#endif
