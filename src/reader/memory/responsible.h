/* SPDX-License-Identifier: MIT */
/*
 * The function that is responsible for an allocation: the innermost of its stack that does not allocate for others.
 *
 *	xmalloc         a wrapper
 *	xstrdup         a wrapper
 *	load_config     responsible
 *	main
 */
#ifndef HP_RESPONSIBLE_H
#define HP_RESPONSIBLE_H

#include "model.h"

/** The role of a frame for the frames inside of it. It is the same in all stacks of a model. */
enum hp_frame_role {
	/** A measured function, or a wait: no place in code. */
	HP_ROLE_NONE,
	/** A wrapper; or any function of the C library, or of the profiler. */
	HP_ROLE_WRAPPER,
	/** The code that starts a program or a thread. */
	HP_ROLE_ENTRY,
	/** A wrapper that was inlined in a function that is none. */
	HP_ROLE_OUTER,
	/** A function without a name. It is responsible if none of its callers in the same file has one. */
	HP_ROLE_NAMELESS,
	HP_ROLE_RESPONSIBLE,
};

/** The roles of all frames of some stacks; from malloc, NULL when memory ran out. */
uint8_t *hp_frame_roles(const struct hp_cpu *cpu);

/** The place in code that is responsible for a block. */
struct hp_responsible {
	/** NULL when the stack has no code. */
	const struct hp_cpu_frame *frame;
	/** The frame's function, without wrappers that were inlined there; and the source line, NULL when not known. */
	const char *name;
	const char *location;
	/** Which of the functions of the frame it is: 0 unless wrappers were inlined in it. */
	uint32_t level;
	/** The block is the C library's own. */
	bool of_libc;
};

/** Find it. If a stack has only wrappers, since it ended early, it is the last of them. */
struct hp_responsible hp_find_responsible(const struct hp_cpu *cpu, const uint8_t *roles,
					  const struct hp_cpu_stack *stack);

/** The name of the place's row, if no measured function has it. */
const char *hp_responsible_name(const struct hp_responsible *found);

/**
 * Whether a row of live blocks has what was allocated with a stack: it is of the same place, and of the same function unless
 * that is a measured one.
 */
bool hp_live_is_of(const struct hp_live *live, const struct hp_model *model,
		   const struct hp_responsible *found);

/**
 * Make the rows of functions and of live blocks again, from the stacks of allocations, after more wrappers were named. Of a
 * model with measured functions nothing changes: its stacks do not tell which of these was open.
 *
 * @return
 *         False when memory ran out.
 */
bool hp_responsible_rows(struct hp_model *model);

#endif
