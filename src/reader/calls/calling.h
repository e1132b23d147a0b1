/* SPDX-License-Identifier: MIT */
/* Which threads call a function. */
#ifndef HP_CALLING_H
#define HP_CALLING_H

#include "reader.h"
#include "stat_index.h"

/**
 * Find the threads that call a function, those with most calls first.
 *
 * @param calling
 *         An array from malloc, to be freed; NULL when there are none.
 * @return
 *         How many there are, or -ENOMEM.
 */
ssize_t hp_calling_find(const struct hp_snapshot *snapshot, const struct hp_stat_index *index,
			uint32_t id, struct hp_calling **calling);

#endif
