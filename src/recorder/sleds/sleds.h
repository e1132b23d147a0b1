/* SPDX-License-Identifier: MIT */
/*
 * Sleds: places in a program that call the recorder once they are armed. `hotpath cc` puts them where functions begin and
 * where they are left; `src/assembler/sleds.h` says what is in the file, and the files machine_*.c there what each looks like.
 */
#ifndef HOTPATH_SLEDS_H
#define HOTPATH_SLEDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sled_module;

/* What a program or library with sleds has in its data, and tells of when it is loaded. */
struct hotpath_sleds {
	/* The recorder's: the next one in its list, and what it knows of the sleds; NULL until they are first armed. */
	struct hotpath_sleds *next;
	struct sled_module *module;
	/* Where the lists of entries and exits begin and end, each as the distance from the number itself. */
	int64_t entries[2];
	int64_t exits[2];
};

#pragma GCC visibility push(default)

/* Called by the constructor and the destructor of whatever has sleds. */
extern void hotpath_module_begins(struct hotpath_sleds *sleds);
extern void hotpath_module_ends(struct hotpath_sleds *sleds);

#pragma GCC visibility pop
#pragma GCC visibility push(hidden)

/* Arm all sleds, or disarm them; also those of what is loaded from now on. The lock is held. */
void hotpath__sleds_want(bool wanted);
/* Let all sleds do what was asked for and the governor allows them now; false when code may not be changed here. The lock is
   held. */
bool hotpath__sleds_update(uint64_t now);
/* Find the functions of all that has told of sleds, before calls are wanted. The lock is held. */
void hotpath__sleds_know(void);
/* Ask for all functions to be measured while calls are wanted, or for none; also of what is loaded from now on. The next update
   does it. The lock is held. */
void hotpath__sleds_ask_all(bool wanted);
/* The same for the function at an address; false when it has no sleds. */
bool hotpath__sled_ask(uintptr_t function, bool wanted);
/* How many functions with sleds there are, and are asked for. The lock is held. */
uint32_t hotpath__sleds_count(uint32_t *asked);
/* Whether the program has told of any sleds. */
bool hotpath__has_sleds(void);
/* There is a segment now: what could not be changed before is told there. The lock is held. */
void hotpath__sleds_recorded(void);
/* A new session of recording begins. The lock is held. */
void hotpath__sleds_begin(void);
/* A function with sleds is called, and this is its site. */
void hotpath__sled_is_called(uintptr_t body, uint32_t site);

/* The site of the function with sleds that an address is in; 0 when there is none, or it was never called. For signal handlers,
   which cannot take the lock. */
uint32_t hotpath__sled_site_at(uintptr_t pc);

/* The entry of the function that a sled at an entry belongs to, by the address behind the sled. */
uintptr_t hotpath__sled_function(uintptr_t body);

#pragma GCC visibility pop

#endif
