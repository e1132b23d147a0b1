/* SPDX-License-Identifier: MIT */
/* How a function was called lately, which only somebody knows who looks again and again. */
#ifndef HP_TREND_H
#define HP_TREND_H

enum {
	HP_TREND_SECONDS = 60,
};

/** How often a function was called lately, as somebody has seen who watches. */
struct hp_trend {
	/** Calls a second, over the last one or two of them. */
	double rate;
	/** Calls in each of the last seconds, the newest last; and how many of them were seen. */
	double seconds[HP_TREND_SECONDS];
	unsigned seen;
};

#endif
