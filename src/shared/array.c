/* SPDX-License-Identifier: MIT */
/* Arrays that grow at their end. */
#include "array.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM_MIN = 16 };

bool hp_array_reserve(void *items, size_t count, size_t *room, size_t size)
{
	if (count < *room)
		return true;

	/* The type of the pointer is the caller's: memcpy does not break the rules of aliasing. */
	void *array;
	memcpy(&array, items, sizeof(array));
	size_t wanted = count < ROOM_MIN / 2 ? ROOM_MIN : 2 * count;
	array = reallocarray(array, wanted, size);
	if (!array)
		return false;
	memcpy(items, &array, sizeof(array));
	*room = wanted;
	return true;
}
