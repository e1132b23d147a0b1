/* SPDX-License-Identifier: MIT */
/* What threads wait for now: read from their lanes, and compared with what the kernel says of them. */
#ifndef HP_BLOCKED_H
#define HP_BLOCKED_H

#include "build.h"

/**
 * Read what the threads of a program wait for, if it runs, or was killed. Its threads and their names must be known already.
 *
 * @return
 *         False when memory ran out.
 */
bool hp_blocked_read(struct hp_build *build);

/**
 * Remove those that the kernel sees computing, or does not know any more, and take the names that threads have by now.
 *
 * @return
 *         False when memory ran out.
 */
bool hp_blocked_see(struct hp_model *model);

#endif
