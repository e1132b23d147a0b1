/* SPDX-License-Identifier: MIT */
/*
 * Puts sleds into what a compiler wrote for the assembler: at the entries of functions, and where they are left.
 *
 * A *sled* is a place that does nothing until it is armed: then it calls the recorder. The places are listed in sections of
 * their own, as differences of 32 bits between the place and the number itself:
 *
 *	entries    of functions
 *	exits      returns and tail calls, which belong to the nearest entry before them; behind a 1 a pair: an exit in a part
 *	           that the compiler has moved away, and the entry it belongs to
 *
 * The linker keeps and drops these with the code that they are about. Whatever is loaded with sleds has a variable,
 * hotpath_module_sleds, by which both lists are found, and tells libhotpath of it, if that is there.
 */
#ifndef HP_SLEDS_H
#define HP_SLEDS_H

#include "machine.h"

#include <stdbool.h>

/** Which functions are to have sleds. */
struct sled_choice {
	bool (*has)(const void *context, struct piece name);
	const void *context;
};

/** Write a text again, with sleds. Returns how many functions have some. */
unsigned hp_sleds_write(struct hp_text *text, struct piece assembly, const struct machine *machine,
			struct sled_choice choice);

#endif
