/* SPDX-License-Identifier: MIT */
/* What an allocator and the program that uses it share: how long it works, and what work is. */
#ifndef SLOW_ALLOCATOR_H
#define SLOW_ALLOCATOR_H

#include <stddef.h>

/* What the next malloc does besides. */
extern volatile unsigned slow_allocator_work;

static inline void slow_work(unsigned units)
{
	for (volatile unsigned i = 0; i < units; i++)
		;
}

#endif
