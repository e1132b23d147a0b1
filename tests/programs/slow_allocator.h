/* SPDX-License-Identifier: MIT */
/* Shared by an allocator and the program that uses it: how long the allocator works, and what work is. */
#ifndef SLOW_ALLOCATOR_H
#define SLOW_ALLOCATOR_H

#include <stddef.h>

/* Units of work that each malloc does besides. */
extern volatile unsigned slow_allocator_work;

/* A unit is one multiplication that waits for the last: a loop takes twice as long for twice the units. With a counter
 * in memory it does not, since processors predict what is loaded back. */
static inline void slow_work(unsigned units)
{
	for (unsigned product = 3; units > 0; units--) {
		product *= product;
		__asm__ volatile("" : "+r"(product));
	}
}

#endif
