/* SPDX-License-Identifier: MIT */
/* Numbers of things in tables, in which each of them is once. */
#ifndef HP_INDEX_H
#define HP_INDEX_H

#include "intern.h"

/** The number of nothing; or memory ran out. */
enum { HP_INDEX_NONE = UINT32_MAX };

/** Mix one more text into a hash. */
static inline uint64_t hp_hash_string(uint64_t hash, const char *string)
{
	for (; *string; string++)
		hash = (hash ^ (unsigned char)*string) * UINT64_C(0x100000001b3);
	return hp_hash(hash, 0);
}

#endif
