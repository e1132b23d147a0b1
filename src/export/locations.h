/* SPDX-License-Identifier: MIT */
/* Places in the code with the measured functions and blocks that were open there. */
#ifndef HP_LOCATIONS_H
#define HP_LOCATIONS_H

#include "profile.h"

/**
 * Find the location of a frame, or add it: its functions, and inside of the one that opened it each block.
 * Functions that measured themselves are marked as such.
 *
 * @param frame
 *         Of the model; HP_INDEX_NONE when measured functions are open and no code is known.
 * @param sites
 *         Frames of the model, the outermost first.
 * @return
 *         Its number, or HP_INDEX_NONE when memory ran out.
 */
uint32_t hp_locations_add(struct hp_profile *profile, uint32_t frame, uint32_t *sites,
			  uint32_t site_count);

/**
 * Whether a measured function is one of those of a location, and not of a frame that it calls: on its way out it
 * is still open when the recorder has begun to end it. Then it is marked.
 */
bool hp_locations_has(struct hp_profile *profile, uint32_t location, uint32_t frame, uint32_t site);

/** Find or add the location that stands for something that is no code, by what it is called. */
uint32_t hp_locations_add_name(struct hp_profile *profile, const char *name);

#endif
