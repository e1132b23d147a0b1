/* SPDX-License-Identifier: MIT */
/* Bars of block characters: numbers that are seen at a glance. */
#ifndef HP_BARS_H
#define HP_BARS_H

#include "text.h"

/** The levels of a character that is a part of a bar, from none to full. */
enum { HP_BAR_LEVELS = 8 };

/** The character of a level, 0 to HP_BAR_LEVELS: " ", "▁" to "█". */
const char *hp_bar(unsigned level);

/**
 * Draw values as a line of bars, one character for several values. The largest mean is not drawn at full height,
 * which leaves a gap to the line above. A value that is not zero always has a bar.
 *
 * @param width
 *         Characters: a divisor of count.
 */
void hp_bars_line(const double *values, unsigned count, unsigned width, struct hp_text *text);

#endif
