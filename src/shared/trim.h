/* SPDX-License-Identifier: MIT */
/* Gives the memory back to the kernel that the allocator keeps, after something large was freed. */
#ifndef HP_TRIM_H
#define HP_TRIM_H

#include <malloc.h>

static inline void hp_trim(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

#endif
