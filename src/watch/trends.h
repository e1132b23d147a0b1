/* SPDX-License-Identifier: MIT */
/* Recent call rates of functions. */
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

/** Make room for ids up to this one. Invalidates pointers returned before. False when memory ran out. */
bool hp_trends_reserve(struct hp_trends *trends, uint32_t id);

/**
 * Record the calls of a function, for which there is room, at a moment.
 *
 * Calls since its last read are distributed evenly over the time between, however long that was.
 */
void hp_trends_see(struct hp_trends *trends, uint32_t id, uint64_t calls, uint64_t now_ns);

/** The trend of a function for which there is room. */
const struct hp_trend *hp_trends_of(const struct hp_trends *trends, uint32_t id);

/** Forget everything, and free it. */
void hp_trends_clear(struct hp_trends *trends);

#endif
