/* SPDX-License-Identifier: MIT */
/* A histogram of the model: its non-empty buckets, by rising value. */
#include "points.h"

#include "histogram.h"

#include <errno.h>
#include <stdlib.h>

enum {
	/* Points that are added up at once: a live report has a thousand percentiles a second. */
	BLOCK = 8,
};

uint64_t hp_percentile_rank(double percent, uint64_t count)
{
	double exact = percent / 100.0 * (double)count;
	/* Tolerate rounding errors: 99.9 % of 1000 calls is rank 999, not 1000. */
	double least = exact - exact * 1e-12;
	if (least >= (double)count)
		return count;

	uint64_t rank = (uint64_t)least;
	return (double)rank < least ? rank + 1 : rank;
}

/* The calls of the next points, added in pairs that do not wait for each other. */
static inline uint64_t block_calls(const struct hp_point *items)
{
	return ((items[0].count + items[1].count) + (items[2].count + items[3].count)) +
	       ((items[4].count + items[5].count) + (items[6].count + items[7].count));
}

uint64_t hp_points_calls(const struct hp_points *points)
{
	uint64_t calls = 0;
	size_t i = 0;

	for (; i + BLOCK <= points->count; i += BLOCK)
		calls += block_calls(&points->items[i]);
	for (; i < points->count; i++)
		calls += points->items[i].count;
	return calls;
}

uint64_t hp_points_at(const struct hp_points *points, uint64_t rank)
{
	uint64_t seen = 0, next;
	size_t i = 0;

	for (; i + BLOCK <= points->count; i += BLOCK, seen = next) {
		next = seen + block_calls(&points->items[i]);
		if (next >= rank)
			break;
	}
	for (; i < points->count; i++) {
		seen += points->items[i].count;
		if (seen >= rank)
			return points->items[i].value;
	}
	return points->count ? points->items[points->count - 1].value : 0;
}

static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high)
{
	if (value < low)
		return low;
	return value > high ? high : value;
}

uint64_t hp_points_percentile(const struct hp_points *points, uint64_t count, uint64_t least,
			      uint64_t most, double percent)
{
	if (count == 0)
		return 0;
	if (percent <= 0)
		return least;
	if (percent >= 100)
		return most;

	uint64_t rank = hp_percentile_rank(percent, hp_points_calls(points));
	return clamp(points->count ? hp_points_at(points, rank) : most, least, most);
}

/*
 * Append a point, or add it to the last one if their values differ too little. Processes whose clocks were calibrated
 * slightly differently (parts per million) have the same buckets at almost the same values; and some neighbouring
 * buckets of ticks are the same number of nanoseconds.
 */
static void append(struct hp_points *points, struct hp_point point)
{
	if (points->count) {
		struct hp_point *last = &points->items[points->count - 1];
		if (point.value - last->value <= last->value / 8192) {
			last->count += point.count;
			return;
		}
	}
	points->items[points->count++] = point;
}

static size_t count_used(const uint64_t *counts)
{
	size_t used = 0;

	for (unsigned i = 0; counts && i < HP_OCTAVE_BUCKETS; i++)
		used += counts[i] != 0;
	return used;
}

static void append_octave(struct hp_points *points, const uint64_t *counts, unsigned first,
			  uint64_t (*value)(const void *context, unsigned bucket),
			  const void *context)
{
	for (unsigned i = 0; i < HP_OCTAVE_BUCKETS; i++)
		if (counts[i])
			append(points, (struct hp_point){ value(context, first + i), counts[i] });
}

bool hp_points_make(struct hp_points *points, uint64_t *const *octaves,
		    uint64_t (*value)(const void *context, unsigned bucket), const void *context)
{
	size_t count = 0;

	for (unsigned i = 0; i < HP_OCTAVES; i++)
		count += count_used(octaves[i]);
	*points = (struct hp_points){ count ? malloc(count * sizeof(*points->items)) : NULL, 0 };
	if (count && !points->items)
		return false;
	for (unsigned i = 0; i < HP_OCTAVES; i++)
		if (octaves[i])
			append_octave(points, octaves[i], i * HP_OCTAVE_BUCKETS, value, context);
	return true;
}

int hp_points_merge(struct hp_points *into, const struct hp_points *from)
{
	if (from->count == 0)
		return 0;
	struct hp_points all = { calloc(into->count + from->count, sizeof(*all.items)), 0 };
	if (!all.items)
		return -ENOMEM;

	size_t i = 0, j = 0;
	while (i < into->count || j < from->count) {
		bool left = j == from->count ||
			    (i < into->count && into->items[i].value <= from->items[j].value);
		append(&all, left ? into->items[i++] : from->items[j++]);
	}
	free(into->items);
	*into = all;
	return 0;
}
