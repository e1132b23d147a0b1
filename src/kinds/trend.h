/* SPDX-License-Identifier: MIT */
/* Recent call rates of a function, known only if the program is watched. */
#ifndef HP_TREND_H
#define HP_TREND_H

enum {
	HP_TREND_SECONDS = 60,
};

/** Recent call rates of a function, from repeated reads. */
struct hp_trend {
	/** Calls a second, over the last one or two of them. */
	double rate;
	/** Calls in each of the last seconds, the newest last; and how many of them were seen. */
	double seconds[HP_TREND_SECONDS];
	unsigned seen;
};

#endif
