/* SPDX-License-Identifier: MIT */
/*
 * Log-linear buckets: where a duration is counted, and which duration a bucket stands for.
 *
 *	value      0 … 63      one bucket each: exact
 *	octave 1   64 … 127    64 buckets of width 1
 *	octave 2   128 … 255   64 buckets of width 2
 *	…
 *	octave 42  2^47 … 2^48 64 buckets of width 2^41; longer ones are counted in the last bucket
 *
 * A bucket is 1/64 of its octave wide, so its middle is within 0.8 % of every value in it. The counters
 * of an octave are one block, taken when the first value falls into it: a function whose calls take
 * 1 to 4 µs pays for two blocks, not for all.
 *
 * Counters have 16 bits at first. When one is full, all of the octave are copied to a block of twice the size, which takes
 * the place of the old one: most functions are never called as often.
 */
#ifndef HP_HISTOGRAM_H
#define HP_HISTOGRAM_H

#include <stdint.h>

enum {
	HP_SUB_BITS = 6,
	/* Buckets of one octave. */
	HP_OCTAVE_BUCKETS = 1 << HP_SUB_BITS,
	HP_OCTAVES = 43,
	HP_BUCKETS = HP_OCTAVES * HP_OCTAVE_BUCKETS,
};

/* The longest duration that has a bucket of its own. */
#define HP_VALUE_MAX ((UINT64_C(1) << (HP_OCTAVES + HP_SUB_BITS - 1)) - 1)

/* An octave in 32 bits: the offset of its counters in the segment, and in the lowest bits, since offsets are multiples of 64, the
   logarithm of the size of a counter in bytes. It is 0 while there are none. */
enum {
	HP_COUNTER_16 = 1,
	HP_COUNTER_32 = 2,
	HP_COUNTER_64 = 3,
	HP_COUNTER_MASK = 63,
};

/** The offset of an octave's counters. */
static inline uint64_t hp_octave_at(uint32_t octave)
{
	return octave & ~(uint32_t)HP_COUNTER_MASK;
}

/** The logarithm of the size of a counter. */
static inline unsigned hp_octave_counter(uint32_t octave)
{
	return octave & HP_COUNTER_MASK;
}

/** The size of a block of counters. */
static inline uint64_t hp_counters_size(unsigned counter)
{
	return (uint64_t)HP_OCTAVE_BUCKETS << counter;
}

static inline uint32_t hp_octave_make(uint64_t at, unsigned counter)
{
	return (uint32_t)at | counter;
}

/** The bucket that counts a value. */
static inline unsigned hp_bucket(uint64_t value)
{
	value = value < HP_VALUE_MAX ? value : HP_VALUE_MAX;
	unsigned exponent = 63 - (unsigned)__builtin_clzll(value | HP_OCTAVE_BUCKETS);
	unsigned shift = exponent - HP_SUB_BITS;
	return (shift << HP_SUB_BITS) + (unsigned)(value >> shift);
}

/** The smallest value that a bucket counts. */
static inline uint64_t hp_bucket_low(unsigned bucket)
{
	if (bucket < 2 * HP_OCTAVE_BUCKETS)
		return bucket;

	unsigned shift = (bucket >> HP_SUB_BITS) - 1;
	return (uint64_t)(bucket - (shift << HP_SUB_BITS)) << shift;
}

/** The value in the middle of a bucket. */
static inline uint64_t hp_bucket_middle(unsigned bucket)
{
	uint64_t low = hp_bucket_low(bucket);
	uint64_t width = bucket < 2 * HP_OCTAVE_BUCKETS
				 ? 1
				 : UINT64_C(1) << ((bucket >> HP_SUB_BITS) - 1);
	return low + width / 2;
}

#endif
