/* SPDX-License-Identifier: MIT */
/* Arithmetic of counters: the smaller and the larger of two, and a difference that is never negative. */
#ifndef HP_ARITHMETIC_H
#define HP_ARITHMETIC_H

#include <stdint.h>

static inline uint64_t hp_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t hp_max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/**
 * Saturating subtraction: 0 when the part is larger than the whole, which happens in the snapshot of a running program,
 * where one counter may be newer than the other.
 */
static inline uint64_t hp_minus(uint64_t whole, uint64_t part)
{
	return whole > part ? whole - part : 0;
}

#endif
