/* SPDX-License-Identifier: MIT */
/*
 * A histogram in less memory. Values rise and most counts are small, so each point is two short numbers: how much larger its value is
 * than that of the point before, and its count; seven bits in a byte, the lowest first, and the eighth if there are more.
 */
#include "packed_points.h"

#include <stdlib.h>

enum {
	BITS = 7,
	MORE = 1 << BITS,
	/* Bytes of the longest number. */
	BYTES_MOST = 10,
};

static unsigned char *put(unsigned char *at, uint64_t number)
{
	for (; number >= MORE; number >>= BITS)
		*at++ = (unsigned char)(number % MORE | MORE);
	*at++ = (unsigned char)number;
	return at;
}

static const unsigned char *get(const unsigned char *at, uint64_t *number)
{
	unsigned shift = 0;

	*number = 0;
	for (; *at & MORE; shift += BITS)
		*number |= (uint64_t)(*at++ % MORE) << shift;
	*number |= (uint64_t)*at << shift;
	return at + 1;
}

static unsigned char *put_point(unsigned char *at, const struct hp_points *points, size_t number)
{
	uint64_t before = number ? points->items[number - 1].value : 0;

	return put(put(at, points->items[number].value - before), points->items[number].count);
}

static size_t size_of(const struct hp_points *points)
{
	unsigned char room[2 * BYTES_MOST];
	size_t size = 0;

	for (size_t i = 0; i < points->count; i++)
		size += (size_t)(put_point(room, points, i) - room);
	return size;
}

bool hp_points_pack(struct hp_packed_points *packed, const struct hp_points *points)
{
	size_t size = size_of(points);

	*packed = (struct hp_packed_points){ size ? malloc(size) : NULL, 0 };
	if (size && !packed->bytes)
		return false;
	unsigned char *at = packed->bytes;
	for (; packed->count < points->count; packed->count++)
		at = put_point(at, points, packed->count);
	return true;
}

bool hp_points_unpack(struct hp_points *points, const struct hp_packed_points *packed)
{
	const unsigned char *at = packed->bytes;
	uint64_t value = 0;

	*points = (struct hp_points){ calloc(packed->count + 1, sizeof(*points->items)), 0 };
	if (!points->items)
		return false;
	for (; points->count < packed->count; points->count++) {
		struct hp_point *point = &points->items[points->count];
		uint64_t more;
		at = get(get(at, &more), &point->count);
		point->value = value += more;
	}
	return true;
}
