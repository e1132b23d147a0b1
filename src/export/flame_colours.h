/* SPDX-License-Identifier: MIT */
/* The colours of a flame graph: what was measured has one of its own, and each module a hue. */
#ifndef HP_FLAME_COLOURS_H
#define HP_FLAME_COLOURS_H

#include "profile.h"

struct hp_flame_colour {
	char text[32];
};

/** A colour of a function that dark text can be read on; NULL is what is no function. */
struct hp_flame_colour hp_flame_colour(const struct hp_profile *profile,
				       const struct hp_code *code);

struct hp_flame_legend {
	const char *name;
	struct hp_flame_colour colour;
};

/**
 * What the colours mean: what was measured, if anything, and the modules with the most samples.
 *
 * @return
 *         How many there are, at most so many as there is room for.
 */
unsigned hp_flame_legend(const struct hp_profile *profile, const struct hp_call_tree *tree,
			 struct hp_flame_legend *legend, unsigned room);

#endif
