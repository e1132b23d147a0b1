/* SPDX-License-Identifier: MIT */
/* A string table: each string once, by number. */
#ifndef HP_STRINGS_H
#define HP_STRINGS_H

#include "names/index.h"

struct hp_strings {
	/** The offset of each string in bytes, which holds them one after the other with their NULs. */
	size_t *starts;
	uint32_t count;
	size_t room;
	char *bytes;
	size_t length;
	size_t bytes_room;
	struct hp_intern index;
	/** Memory ran out: numbers are wrong. */
	bool failed;
};

/** The number of a text, which is copied; NULL is the empty one. */
uint32_t hp_strings_add(struct hp_strings *strings, const char *text);

const char *hp_strings_get(const struct hp_strings *strings, uint32_t number);

void hp_strings_free(struct hp_strings *strings);

#endif
