/* SPDX-License-Identifier: MIT */
/* A string table: each string once, by number. */
#include "strings.h"

#include "array.h"

#include <stdlib.h>
#include <string.h>

const char *hp_strings_get(const struct hp_strings *strings, uint32_t number)
{
	return strings->bytes + strings->starts[number];
}

static bool is_same(const void *things, uint32_t number, const void *key)
{
	return strcmp(hp_strings_get(things, number), key) == 0;
}

static bool reserve_bytes(struct hp_strings *strings, size_t size)
{
	if (strings->bytes_room - strings->length >= size)
		return true;
	size_t room = (strings->length + size) * 2;
	char *bytes = realloc(strings->bytes, room);
	if (!bytes)
		return false;
	strings->bytes = bytes;
	strings->bytes_room = room;
	return true;
}

uint32_t hp_strings_add(struct hp_strings *strings, const char *text)
{
	const char *wanted = text ? text : "";
	size_t size = strlen(wanted) + 1;
	uint32_t number;

	strings->index.is_same = is_same;
	if (!hp_array_reserve(&strings->starts, strings->count, &strings->room, sizeof(size_t)) ||
	    !reserve_bytes(strings, size) ||
	    !hp_intern(&strings->index, hp_hash_string(0, wanted), strings, wanted, strings->count,
		       &number)) {
		strings->failed = true;
		return 0;
	}
	if (number < strings->count)
		return number;
	memcpy(strings->bytes + strings->length, wanted, size);
	strings->starts[strings->count++] = strings->length;
	strings->length += size;
	return number;
}

void hp_strings_free(struct hp_strings *strings)
{
	free(strings->starts);
	free(strings->bytes);
	hp_intern_free(&strings->index);
	*strings = (struct hp_strings){ .starts = NULL };
}
