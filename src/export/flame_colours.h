/* SPDX-License-Identifier: MIT */
/* The colours of a flame graph: one for measured functions, and a hue for each module. */
#ifndef HP_FLAME_COLOURS_H
#define HP_FLAME_COLOURS_H

#include "profile.h"

struct hp_flame_colour {
	char text[32];
};

/** The colour of a function, light enough for dark text; NULL for frames that are no function. */
struct hp_flame_colour hp_flame_colour(const struct hp_profile *profile,
				       const struct hp_code *code);

struct hp_flame_legend {
	const char *name;
	struct hp_flame_colour colour;
};

/**
 * The legend: measured functions, if any, and the modules with the most samples.
 *
 * @return
 *         The number of entries, at most as many as there is room for.
 */
unsigned hp_flame_legend(const struct hp_profile *profile, const struct hp_call_tree *tree,
			 struct hp_flame_legend *legend, unsigned room);

#endif
