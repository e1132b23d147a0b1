/* SPDX-License-Identifier: MIT */
/* Which functions `hotpath cc` was told to measure. */
#ifndef HP_SELECTED_H
#define HP_SELECTED_H

#include "elf_file.h"
#include "line.h"
#include "text.h"

#include <stdbool.h>

struct selected {
	/** The rules; NULL if there are none. */
	const char *selection;
	/** The file without sleds, for the sizes of functions. */
	struct hp_elf object;
	bool has_sizes;
};

/**
 * Find out how large functions are, if there is a rule for that: by assembling them.
 *
 * @param words
 *         The command of the assembler, with at least two free places behind the last word.
 */
void hp_selected_measure(struct selected *selected, const char *assembler, char **words,
			 const struct hp_text *assembly);
bool hp_selected_has(const void *selected, struct piece name);
void hp_selected_free(struct selected *selected);

#endif
