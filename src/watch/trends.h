/* SPDX-License-Identifier: MIT */
/* How often functions were called lately. */
#ifndef HP_TRENDS_H
#define HP_TRENDS_H

#include "trend.h"

#include <stdbool.h>
#include <stdint.h>

struct hp_trend_of;

/** All zero to begin with. */
struct hp_trends {
	/** By id. */
	struct hp_trend_of *items;
	uint32_t room;
};

/** Make room for ids up to this one; what was handed out before is elsewhere then. False when memory ran out. */
bool hp_trends_reserve(struct hp_trends *trends, uint32_t id);

/**
 * A function, for which there is room, had so many calls at a moment.
 *
 * What came since it was last looked at is shared evenly by the time between, however long that was.
 */
void hp_trends_see(struct hp_trends *trends, uint32_t id, uint64_t calls, uint64_t now_ns);

/** The trend of a function for which there is room. */
const struct hp_trend *hp_trends_of(const struct hp_trends *trends, uint32_t id);

/** Forget everything, and free it. */
void hp_trends_clear(struct hp_trends *trends);

#endif
