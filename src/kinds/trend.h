/* SPDX-License-Identifier: MIT */
/* Recent rates of a counter, such as the calls of a function: known only if the program is watched. */
#ifndef HP_TREND_H
#define HP_TREND_H

enum {
	HP_TREND_SECONDS = 60,
	/** How many of them are recent. */
	HP_TREND_RECENT = 5,
};

/** Recent rates of what is counted, such as calls, from repeated reads. */
struct hp_trend {
	/** Per second: over the last one or two seconds; and over the last HP_TREND_RECENT. */
	double rate;
	double recent;
	/** Counts of each of the last seconds, the newest last; and how many of them were seen. */
	double seconds[HP_TREND_SECONDS];
	unsigned seen;
};

#endif
