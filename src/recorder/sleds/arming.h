/* SPDX-License-Identifier: MIT */
/* Arms and disarms the sleds of functions, while threads execute them. The lock is held in all functions. */
#ifndef HOTPATH_ARMING_H
#define HOTPATH_ARMING_H

#include "sled_module.h"

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* Let the sleds of a module do what they are to do; false when code may not be changed here. */
bool hotpath__arm(struct sled_module *module);

#pragma GCC visibility pop

#endif
