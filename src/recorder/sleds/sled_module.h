/* SPDX-License-Identifier: MIT */
/* The sleds of one program or library, function by function. The lock is held in all functions. */
#ifndef HOTPATH_SLED_MODULE_H
#define HOTPATH_SLED_MODULE_H

#include "sleds.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* No sled has more bytes. */
	SLED_MAX = 16,
};

/* A sled, and the one at the entry of its function, which may be itself. */
struct sled {
	uintptr_t place;
	uintptr_t entry;
};

/* What the sled at an entry does. */
enum sled_entry {
	ENTRY_OFF,
	ENTRY_COUNTS,
	ENTRY_TIMES,
};

/* What the sleds of a function do, the one at its entry and those where it is left. Exits stay armed for a while when the entry
   is not any more, so that calls which have begun can end. */
struct sled_arms {
	uint8_t entry;
	bool exits;
};

/* A function: its sleds follow each other in the module's table, and the first one is that at its entry. */
struct sled_function {
	struct sled *sleds;
	uint32_t count;
	/* Its site; 0 until it is first called. */
	uint32_t site;
	/* What its sleds do, and what they are to do. */
	struct sled_arms now, next;
	/* In the update that is made: its exits go, and whether a call was in progress then. */
	bool exits_go, was_open;
	/* What the governor lets its entry do; how often that was less than all, one time after the other; and since when. */
	uint8_t allowed;
	uint8_t tries;
	uint64_t since;
	/* Somebody wants it to be measured. */
	bool is_asked;
};

/* In memory that forked children inherit, like the code itself. */
struct sled_module {
	struct sled_function *functions;
	size_t function_count;
	struct sled *sleds;
	size_t sled_count;
	/* The lowest sled, and the first byte behind the highest one. */
	uintptr_t low;
	uintptr_t high;
	/* Jumps to the recorder that can be reached from here; NULL until they are needed. */
	const struct sled_island *island;
	/* The bytes of the mapping that this is in. */
	size_t size;
};

#pragma GCC visibility push(hidden)

/* Find the functions of a module by its sections; NULL when there is no memory, or what the module has is not known. */
struct sled_module *hotpath__sled_module_make(const struct hotpath_sleds *sleds);
/* The last function whose entry is before an address; NULL when there is none. */
struct sled_function *hotpath__sled_function_before(const struct sled_module *module,
						    uintptr_t address);
/* The function with an entry, by the address behind its sled; NULL when there is none. */
struct sled_function *hotpath__sled_function_at(const struct sled_module *module, uintptr_t body);
/* The function that begins at an address; NULL when it has no sled. */
struct sled_function *hotpath__sled_function_from(const struct sled_module *module,
						  uintptr_t address);
/* Whether an address is known to be in a function: between its entry and the last of its exits, cold parts aside. */
bool hotpath__sled_function_has(const struct sled_module *module,
				const struct sled_function *function, uintptr_t address);
void hotpath__sled_module_free(struct sled_module *module);

#pragma GCC visibility pop

#endif
