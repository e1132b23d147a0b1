/* SPDX-License-Identifier: MIT */
/*
 * The memory of the program or library that a list of sleds is in. What a linker has put between the bounds of a list may be
 * anything: so a number is only read, and the place that it leads to only changed, where the object has such memory.
 */
#ifndef HOTPATH_SLED_MEMORY_H
#define HOTPATH_SLED_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

enum {
	/* Linkers make about five; one that a program has split by changing its protection counts as several. */
	SLED_PARTS = 48,
};

struct sled_memory {
	/* Neighbouring pages of one kind, in the order of their addresses. */
	struct sled_part {
		uintptr_t start;
		uintptr_t end;
		/* Instructions that the program itself cannot change. */
		bool is_code;
	} parts[SLED_PARTS];
	unsigned count;
};

#pragma GCC visibility push(hidden)

/* Find the memory of the object that an address is in; there is none if the kernel's list of mappings cannot be read. The lock is
   held. */
void hotpath__sled_memory_find(struct sled_memory *memory, uintptr_t address);
/* Whether all of a range can be read, or is code. */
bool hotpath__sled_memory_has(const struct sled_memory *memory, uintptr_t low, uintptr_t high);
bool hotpath__sled_memory_runs(const struct sled_memory *memory, uintptr_t low, uintptr_t high);

#pragma GCC visibility pop

#endif
