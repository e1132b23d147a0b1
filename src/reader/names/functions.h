/* SPDX-License-Identifier: MIT */
/* The table of functions of a profile, without duplicates. */
#ifndef HP_FUNCTIONS_H
#define HP_FUNCTIONS_H

#include "index.h"

/** A function, or a measured block; texts belong to the table. */
struct hp_code {
	/** The readable name, and the linker symbol. */
	char *name;
	char *system_name;
	/** File and line of the declaration; NULL and 0 when not known. */
	char *file;
	uint32_t line;
	/** The path of `file`, with the folder that the compiler ran in; or NULL. */
	char *path;
	/** Index into the list of modules, or HP_CPU_NOT_KNOWN. */
	int32_t module;
	/** The address where the code begins, as in the file of the module; 0 when not known. */
	uint64_t entry;
	/** The function was measured: its times are in the report. */
	bool measured;
	/** The item is no function, but what was waited for. */
	bool is_wait;
};

struct hp_functions {
	struct hp_code *items;
	uint32_t count;
	size_t room;
	struct hp_intern index;
};

/**
 * Find a function by its name, file, line and module, or add it. Its other fields are those of the first one added.
 *
 * @param code
 *         Its texts are copied.
 * @return
 *         Its number, or HP_INDEX_NONE when memory ran out.
 */
uint32_t hp_functions_add(struct hp_functions *functions, const struct hp_code *code);

void hp_functions_free(struct hp_functions *functions);

#endif
