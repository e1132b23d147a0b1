/* SPDX-License-Identifier: MIT */
/* Arrays that grow at their end. */
#ifndef HP_ARRAY_H
#define HP_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Make room for one more element. The room doubles each time, so that appending takes constant time on average.
 *
 * @param items
 *         The address of the pointer to the array, which is NULL or from malloc.
 * @param room
 *         How many elements fit. A room of 0 is right for an array that was made elsewhere: it is full.
 * @param size
 *         Bytes of one element.
 * @return
 *         false when memory ran out; array and room are unchanged then.
 */
bool hp_array_reserve(void *items, size_t count, size_t *room, size_t size);

#endif
