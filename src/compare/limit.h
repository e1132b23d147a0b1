/* SPDX-License-Identifier: MIT */
/* Parses limits as users write them: "50 us", "1.5 MB", "1000", "+5 %". */
#ifndef HP_LIMIT_H
#define HP_LIMIT_H

#include "subject.h"

struct hp_limit {
	/** In the unit of the figure; or, if relative, a share: 0.05. */
	double value;
	bool is_relative;
};

/** Read a limit for a figure of such a unit. Returns false when it is none. */
bool hp_limit_read(const char *text, enum hp_metric_unit unit, struct hp_limit *limit);

/** What a limit for a figure of such a unit must be. */
const char *hp_limit_form(enum hp_metric_unit unit);

#endif
