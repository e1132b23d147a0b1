/* SPDX-License-Identifier: MIT */
/* Finds the source functions of an address: the function that contains it, and those inlined there. */
#ifndef HP_SYMBOLS_H
#define HP_SYMBOLS_H

#include "cpu/cpu_time.h"
#include "functions.h"

/** A function that contains a place, and the line in it; 0 if not known. */
struct hp_level {
	uint32_t function;
	uint32_t line;
};

/** The levels of a place, the outermost first. */
struct hp_levels {
	struct hp_level *items;
	uint32_t count;
};

/**
 * Find the functions of all frames from debug information, if the file of the module is still the one that ran. Every
 * frame gets at least one level, with its name.
 *
 * @param levels
 *         As many as there are frames, all zero; to be freed by hp_levels_free.
 * @return
 *         False when memory ran out.
 */
bool hp_symbols_find(const struct hp_cpu *cpu, struct hp_functions *functions,
		     struct hp_levels *levels);

/** Add a level inside of the others. Returns false when memory ran out. */
bool hp_levels_push(struct hp_levels *levels, struct hp_level level);

void hp_levels_free(struct hp_levels *levels, size_t count);

#endif
