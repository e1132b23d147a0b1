/* SPDX-License-Identifier: MIT */
/* The values of a stack: how much of what was recorded has it, in one or several units. */
#ifndef HP_VALUES_H
#define HP_VALUES_H

#include <stdbool.h>
#include <stdint.h>

enum { HP_VALUES_MAX = 4 };

/** Values, one for each value type of a subject. */
struct hp_values {
	uint64_t of[HP_VALUES_MAX];
};

/** Add values. A sum that would be too large, of a damaged report, is UINT64_MAX: no part is larger than the whole. */
static inline void hp_values_add(struct hp_values *into, const struct hp_values *values)
{
	for (unsigned i = 0; i < HP_VALUES_MAX; i++)
		if (__builtin_add_overflow(into->of[i], values->of[i], &into->of[i]))
			into->of[i] = UINT64_MAX;
}

/** Subtract values; what would be less than zero is zero. */
static inline void hp_values_subtract(struct hp_values *from, const struct hp_values *values)
{
	for (unsigned i = 0; i < HP_VALUES_MAX; i++)
		from->of[i] -= values->of[i] < from->of[i] ? values->of[i] : from->of[i];
}

static inline bool hp_values_are_zero(const struct hp_values *values)
{
	uint64_t any = 0;

	for (unsigned i = 0; i < HP_VALUES_MAX; i++)
		any |= values->of[i];
	return any == 0;
}

#endif
