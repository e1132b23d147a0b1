/* SPDX-License-Identifier: MIT */
/* A histogram, drawn with bars: how often calls took how long. */
#ifndef CONSOLE_HISTOGRAM_PAGE_H
#define CONSOLE_HISTOGRAM_PAGE_H

#include "page.h"
#include "points.h"

/** Add it to a page, in so many columns. Durations are on a logarithmic scale. */
void histogram_draw(struct page *page, const struct hp_points *times, int width);

#endif
