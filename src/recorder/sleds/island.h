/* SPDX-License-Identifier: MIT */
/* Islands: pages near a module with jumps to the recorder, which itself is too far away for the calls of sleds. */
#ifndef HOTPATH_ISLAND_H
#define HOTPATH_ISLAND_H

#include "patch.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* An island that can be reached from all addresses between two; NULL when there is no room for one, or memory may not be
   made executable. The lock is held. It stays for good, like the code that leads there. */
const struct sled_island *hotpath__island_near(uintptr_t low, uintptr_t high);

/* Whether an address is on an island; for signal handlers, too. */
bool hotpath__is_island(uintptr_t address);

#pragma GCC visibility pop

#endif
