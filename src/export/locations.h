/* SPDX-License-Identifier: MIT */
/* Locations: code addresses with the measured functions and blocks that were open there. */
#ifndef HP_LOCATIONS_H
#define HP_LOCATIONS_H

#include "profile.h"

/**
 * Find or add the location of a frame: its functions, and each block inside the function that opened it. Functions
 * that were measured are marked.
 *
 * @param frame
 *         A frame of the model; HP_INDEX_NONE if measured functions are open but the code is not known.
 * @param sites
 *         Frames of the model, the outermost first.
 * @return
 *         Its number, or HP_INDEX_NONE when memory ran out.
 */
uint32_t hp_locations_add(struct hp_profile *profile, uint32_t frame, uint32_t *sites,
			  uint32_t site_count);

/**
 * Whether a measured function is one of the functions of this location itself, and not of a frame that it calls:
 * while it returns, it is still open although the recorder has begun to end it. If so, it is marked.
 */
bool hp_locations_has(struct hp_profile *profile, uint32_t location, uint32_t frame, uint32_t site);

/** Find or add a location that is not code, by its name. */
uint32_t hp_locations_add_name(struct hp_profile *profile, const char *name);

#endif
