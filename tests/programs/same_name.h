/* SPDX-License-Identifier: MIT */
/* Functions of one name in several files: an inline one that they share, and static ones of their own. */
#ifndef SAME_NAME_H
#define SAME_NAME_H

#include <hotpath.h>

static inline void shared_inline(void)
{
	HOTPATH_MEASURE();
}

void call_other(int times);

#endif
