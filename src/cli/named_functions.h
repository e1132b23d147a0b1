/* SPDX-License-Identifier: MIT */
/* The functions of a process whose names match a pattern, with their addresses in its memory. */
#ifndef NAMED_FUNCTIONS_H
#define NAMED_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct named_functions {
	/** From malloc. */
	uint64_t *addresses;
	size_t count;
	size_t room;
};

/**
 * Find them in the symbols of all files that the process has mapped, or of their debug files.
 *
 * @param pattern
 *         As hp_selection_matches has it, for names as reports show them or as the linker knows them.
 * @return
 *         False when the mappings of the process cannot be read, or memory ran out. Free the addresses either way.
 */
bool named_functions_find(uint32_t pid, const char *pattern, struct named_functions *found);

#endif
