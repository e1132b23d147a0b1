/* SPDX-License-Identifier: MIT */
/*
 * Changes of code that other threads may be executing.
 *
 * A change is made in steps, for all sleds at once; after each step all processors of the process are made to see it. What
 * a sled is before and after each step can be executed.
 */
#ifndef HOTPATH_PATCH_H
#define HOTPATH_PATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sled_kind {
	SLED_ENTRY,
	/* The function returns here, and does nothing else. */
	SLED_RETURN,
	/* The function goes on to another one, or to a return of a special kind. */
	SLED_JUMP,
	/* An entry, where the call is counted and not timed. */
	SLED_COUNT,
	SLED_KINDS,
};

/* The jumps to the recorder that sleds lead to, by kind; near enough to be reached. */
struct sled_island {
	uintptr_t to[SLED_KINDS];
};

#pragma GCC visibility push(hidden)

/* How many steps a change has. */
extern const unsigned hotpath__patch_steps;
/* Whether this is a sled, armed or not, as the assembler writes it at entries, or where functions are left. */
bool hotpath__is_sled(uintptr_t place, bool is_entry);
enum sled_kind hotpath__sled_kind(uintptr_t place, bool is_entry);
/* Whether a debugger has put a breakpoint there, which is not to be overwritten. */
bool hotpath__has_breakpoint(uintptr_t place);
/* Make one step of arming or disarming a sled. Its page is writable. */
void hotpath__patch(unsigned step, uintptr_t place, enum sled_kind kind, uintptr_t target,
		    bool armed);
/* Code that jumps to the address which is in the 8 bytes behind it. */
extern const uint64_t hotpath__far_jump;
/* A change is within so many bytes from the beginning of a sled on, or in one aligned word. */
extern const uintptr_t hotpath__sled_size;
/* The body of a function begins so many bytes behind the beginning of the sled at its entry. */
extern const uintptr_t hotpath__entry_size;
/* To know a sled, so many bytes are read, which begin so many before it. */
extern const uintptr_t hotpath__sled_looks;
extern const uintptr_t hotpath__sled_before;
/* How far a sled can reach, in bytes. */
extern const uintptr_t hotpath__sled_reach;
#pragma GCC visibility pop

#endif
