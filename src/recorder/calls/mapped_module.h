/* SPDX-License-Identifier: MIT */
/* A module as it is mapped in memory. The lock is held in all functions. */
#ifndef HOTPATH_MAPPED_MODULE_H
#define HOTPATH_MAPPED_MODULE_H

#include "elf_file.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct module {
	struct module *next;
	/* The module's bounds in memory, and the difference to the addresses in its file. */
	uintptr_t start;
	uintptr_t end;
	uintptr_t bias;
	/* The module's offset in the segment; 0 when there was no room. */
	uint64_t at;
	/* The functions to be measured, as a string in the module's own memory; NULL for all. */
	const char *selection;
	/* The file, open if there is a selection: to find the names of functions. */
	struct hp_elf file;
};

/* Fill in the module that an address belongs to, and add it to the segment. Returns false when there is none. */
bool hotpath__describe_module(struct module *module, uintptr_t address);
/* The start of the first executable mapping of a file at or after an address, and its end; 0 when there is none. */
uintptr_t hotpath__code_after(uintptr_t address, uintptr_t *end);

#pragma GCC visibility pop

#endif
