/* SPDX-License-Identifier: MIT */
/* Binary search for the first of several elements with the same key. */
#ifndef HP_LOWER_BOUND_H
#define HP_LOWER_BOUND_H

#include <stdbool.h>
#include <stddef.h>

/** Whether an element belongs before all elements with this key. */
typedef bool (*hp_is_before_fn)(const void *element, const void *key);

/**
 * Find a key in a sorted array. bsearch finds any element with the key; this finds the first one.
 *
 * @return
 *         The index of the first element that is not before the key; count if all are. It may have a larger key.
 */
static inline size_t hp_lower_bound(const void *key, const void *array, size_t count, size_t size,
				    hp_is_before_fn is_before)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (is_before((const char *)array + middle * size, key))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif
