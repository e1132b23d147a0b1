/* SPDX-License-Identifier: MIT */
/* A histogram that is kept and seldom looked at, in about a quarter of the memory. */
#ifndef HP_PACKED_POINTS_H
#define HP_PACKED_POINTS_H

#include "points.h"

/** Zero-initialised: no points. */
struct hp_packed_points {
	unsigned char *bytes;
	size_t count;
};

/** Pack points, which rise by value. Returns false when memory ran out; nothing is kept then. */
bool hp_points_pack(struct hp_packed_points *packed, const struct hp_points *points);

/** The points again, to be freed. Returns false when memory ran out. */
bool hp_points_unpack(struct hp_points *points, const struct hp_packed_points *packed);

#endif
