/* SPDX-License-Identifier: MIT */
/* CPU time of the program's own functions, by their symbols, for programs without measured functions. */
#ifndef HP_NATIVE_H
#define HP_NATIVE_H

#include "model.h"

enum { HP_NATIVE_RESTS = 3 };

/** Rows that only have a name and CPU time. They point into the model that they were made from. */
struct hp_native {
	struct hp_function *functions;
	size_t count;
	/** CPU time without a stack: in the kernel, while the program was loaded, or unknown. */
	struct hp_function rests[HP_NATIVE_RESTS];
	size_t rest_count;
	/** Functions of the frames of the model, innermost first: those of frame i are `levels[first[i]]` to `levels[first[i + 1] - 1]`. */
	size_t *levels;
	size_t *first;
};

/** Whether a frame is a place in code; a measured function or block is not. */
static inline bool hp_native_is_code(const struct hp_cpu_frame *frame)
{
	return frame->kind != HP_FRAME_SITE;
}

/** Add up the stacks of a model. Returns false when memory ran out; either way it is to be freed. */
bool hp_native_read(struct hp_native *native, const struct hp_cpu *cpu);

void hp_native_free(struct hp_native *native);

#endif
