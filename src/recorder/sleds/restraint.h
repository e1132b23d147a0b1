/* SPDX-License-Identifier: MIT */
/*
 * What the governor lets each function with sleds do: to be timed, to be counted, or nothing; until when that holds, and what
 * becomes of its exits.
 */
#ifndef HOTPATH_RESTRAINT_H
#define HOTPATH_RESTRAINT_H

#include "sled_module.h"

#include <stdbool.h>
#include <stdint.h>

struct hp_stat;
struct thread;

enum {
	/* After this time exits are disarmed, unless a call is in progress. After the second one they are disarmed even so if
	   nothing tells how many calls there are, and exits that end nothing are too dear. */
	SETTLE_MS = 1,
	SETTLE_OPEN_MS = 20,
};

/* What an update of all functions has left open: exits of some stay armed for a while; or those of functions that are not even
   counted stay so for longer, since calls are in progress. */
struct unsettled {
	bool soon;
	bool waits;
};

#pragma GCC visibility push(hidden)

/* So many milliseconds, in ticks. */
uint64_t hotpath__milliseconds(uint64_t number);

/* What a function may do from now on. The lock is held, also for the next ones. */
void hotpath__allow(struct sled_function *function, enum sled_entry entry, uint64_t now);
/* The sleds of a function do what it may do: tell that to readers. */
void hotpath__note_allowed(const struct sled_function *function);
/* Let all functions do what they may; those whose time has come are timed again. `too_long`: exits that stay armed for calls in
   progress are too dear. */
struct unsettled hotpath__update_functions(uint64_t now, bool too_long);
/* When the first of the functions that are restrained may be timed again, in ticks; 0 when there is none. */
uint64_t hotpath__next_return(void);

/* The site of a function is known, since it is called for the first time. The lock is held. */
void hotpath__govern_function(struct sled_function *function, uint32_t site);
/* A function goes, with its module. The lock is held. */
void hotpath__govern_no_more(const struct sled_function *function);
/* The function with a site; NULL when it has no sleds, or is not known yet. And whether there is one. */
struct sled_function *hotpath__governed_at(uint32_t site);
bool hotpath__is_governed(uint32_t site);

/* The stat of the restrained function that this address is in; NULL when there is none. For signal handlers. */
struct hp_stat *hotpath__restrained_stat(const struct thread *me, uintptr_t pc);

/* What the sleds of a function may do now, and whether its exits go with that. The lock is held. */
struct sled_arms hotpath__governed_arms(struct sled_function *function, uint64_t now);
/* Recording begins anew: the function is timed, whatever it has cost before. The lock is held. */
void hotpath__govern_begin(struct sled_function *function, uint64_t now);

#pragma GCC visibility pop

#endif
