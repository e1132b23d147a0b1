/* SPDX-License-Identifier: MIT */
/* The stacks with which a function has allocated, as text. */
#ifndef HP_FUNCTION_STACKS_H
#define HP_FUNCTION_STACKS_H

#include "model.h"
#include "text.h"

/** Write one stack of allocations: how much was allocated with it, and a line for each frame. */
void hp_stack_write(const struct hp_cpu *cpu, const struct hp_cpu_stack *stack, uint64_t bytes,
		    uint64_t blocks, struct hp_text *text);

/**
 * Write the stacks with which a function has allocated the most: those for which it is responsible or, of a measured function,
 * those that it is in. Writes nothing if there are none.
 *
 * @param function
 *         A row of this model, or of another one of the same program.
 * @param most
 *         So many stacks at most.
 */
void hp_function_stacks_write(const struct hp_model *model, const struct hp_function *function,
			      size_t most, struct hp_text *text);

#endif
