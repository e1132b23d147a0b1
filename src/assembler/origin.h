/* SPDX-License-Identifier: MIT */
/* The origin of a text for the assembler: a compiler, a compiler that links, or a person. */
#ifndef HP_ORIGIN_H
#define HP_ORIGIN_H

#include "line.h"

#include <stdbool.h>

/** Whether a text is the work of a compiler. What people wrote is left alone. */
bool hp_is_compiled(struct piece assembly);

/** Whether gcc made it when it linked (-flto): it is of no single source file then. */
bool hp_is_late(struct piece assembly);

#endif
