/* SPDX-License-Identifier: MIT */
/* What was meant by a mistyped word: the name the fewest edits away from it. */
#include "nearest.h"

#include <string.h>

enum {
	/* Longer words are not worth a guess. */
	WORD_MAX = 31,
};

static unsigned least(unsigned a, unsigned b, unsigned c)
{
	unsigned ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* Edit distance that also counts swaps of neighbouring letters (optimal string alignment). */
static unsigned edits(const char *from, const char *to)
{
	unsigned rows[3][WORD_MAX + 1];
	unsigned *older = rows[0], *above = rows[1], *row = rows[2];
	size_t from_length = strlen(from), to_length = strlen(to);

	for (size_t j = 0; j <= to_length; j++)
		above[j] = (unsigned)j;
	for (size_t i = 1; i <= from_length; i++) {
		row[0] = (unsigned)i;
		for (size_t j = 1; j <= to_length; j++) {
			row[j] = least(above[j] + 1, row[j - 1] + 1,
				       above[j - 1] + (from[i - 1] != to[j - 1]));
			if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
				row[j] = least(row[j], row[j], older[j - 2] + 1);
		}
		unsigned *spare = older;
		older = above;
		above = row;
		row = spare;
	}
	return above[to_length];
}

void hp_nearest_try(struct hp_nearest *nearest, const char *word, const char *name)
{
	if (!*word || strlen(word) > WORD_MAX || strlen(name) > WORD_MAX)
		return;

	unsigned distance = strncmp(name, word, strlen(word)) == 0 ? 1 : edits(word, name);
	unsigned allowed = (unsigned)strlen(name) / 3 + 1;
	if (distance <= allowed && (!nearest->name || distance < nearest->distance)) {
		nearest->name = name;
		nearest->distance = distance;
	}
}
