/* SPDX-License-Identifier: MIT */
/*
 * The governor keeps what measuring costs within a budget (HOTPATH_MAX_OVERHEAD). From the functions with sleds that are called
 * most often, and so are short, it takes first their time: their calls are counted. Where counting is too dear as well, it
 * disarms them. After a while such a function is timed again, to see whether it is called as often as before.
 */
#ifndef HOTPATH_GOVERNOR_H
#define HOTPATH_GOVERNOR_H

#include "sled_module.h"

#include <stdbool.h>
#include <stdint.h>

struct hp_stat;
struct thread;

#pragma GCC visibility push(hidden)

/* Look at what measuring has cost on this thread since the last look, and see to it that it is not too much. The thread is
   busy. */
void hotpath__govern(struct thread *me);

/* When the first of the functions that are restrained may be timed again, in ticks; 0 when there is none. */
uint64_t hotpath__next_return(void);

/* The site of a function is known, since it is called for the first time. The lock is held. */
void hotpath__govern_function(struct sled_function *function, uint32_t site);
/* A function goes, with its module. The lock is held. */
void hotpath__govern_no_more(const struct sled_function *function);
/* Whether a function is to be found by its site. */
bool hotpath__is_governed(uint32_t site);

/* The stat of the restrained function that this address is in; NULL when there is none. For signal handlers. */
struct hp_stat *hotpath__restrained_stat(const struct thread *me, uintptr_t pc);

/* What the sleds of a function may do now. The lock is held. */
struct sled_arms hotpath__governed_arms(struct sled_function *function, uint64_t now);
/* Recording begins: what was not measured before does not matter. The lock is held. */
void hotpath__govern_begin(const struct sled_function *function);

#pragma GCC visibility pop

#endif
