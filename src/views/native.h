/* SPDX-License-Identifier: MIT */
/* CPU time by the functions of the program itself, as its symbols name them. */
#ifndef HP_NATIVE_H
#define HP_NATIVE_H

#include "model.h"

enum { HP_NATIVE_RESTS = 3 };

/** Rows that have a name and CPU time alone. They point into the model that they were made of. */
struct hp_native {
	struct hp_function *functions;
	size_t count;
	/** What no stack was seen of, by where it was: in the kernel, before the program began, or not known. */
	struct hp_function rests[HP_NATIVE_RESTS];
	size_t rest_count;
};

/** Add up the stacks of a model. Returns false when memory ran out; either way it is to be freed. */
bool hp_native_read(struct hp_native *native, const struct hp_cpu *cpu);

void hp_native_free(struct hp_native *native);

#endif
