/* SPDX-License-Identifier: MIT */
/*
 * Which waits have their stack taken, and as how many samples.
 *
 * What a thread waits is cut into periods, and in each period one random point is chosen:
 *
 *	waits     ├──a──┼─b─┼────────────────c────────────────┼─b─┼─a──┼─b─┤
 *	periods   ├──────────┼──────────┼──────────┼──────────┼──────────┤
 *	points        ×          ×       ×               ×          ×
 *	samples      1 a        1 c     1 c             1 c        1 a
 *
 * The wait that has the point gets a sample, a long one several. So the samples of a thread are its time to one period, and
 * each wait has as many of them, on average, as is its share; also if waits of several kinds follow in a rhythm.
 */
#ifndef HOTPATH_WAIT_POINTS_H
#define HOTPATH_WAIT_POINTS_H

#include <stdint.h>

struct wait_points {
	/* In ticks, since the period began: how much of it has passed; the point, which may be in the past; and up to
	   where nothing is to be done, which is the point or the end of the period. All are 0 before the first wait. */
	uint64_t passed;
	uint64_t point;
	uint64_t quiet;
	/* The state of the random numbers. */
	uint64_t random;
};

/* Choose the point of a period, by a linear congruential generator, whose high bits are the better ones. */
static inline void hotpath__choose_point(struct wait_points *points, uint64_t period)
{
	points->random = points->random * UINT64_C(6364136223846793005) +
			 UINT64_C(1442695040888963407);
	points->point = (points->random >> 33) % period;
	points->quiet = points->point >= points->passed ? points->point : period - 1;
}

/* Go on by a wait. Returns how many points it has. */
static inline uint64_t hotpath__count_points(struct wait_points *points, uint64_t period,
					     uint64_t ticks)
{
	uint64_t begins = points->passed, ends = begins + ticks;
	uint64_t count = begins <= points->point && points->point < ends;

	points->passed = ends % period;
	if (ends < period) {
		points->quiet = count ? period - 1 : points->quiet;
		return count;
	}
	count += ends / period - 1;
	hotpath__choose_point(points, period);
	return count + (points->point < points->passed);
}

#endif
