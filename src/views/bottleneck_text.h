/* SPDX-License-Identifier: MIT */
/* The sentences of the section "bottlenecks". */
#ifndef HP_BOTTLENECK_TEXT_H
#define HP_BOTTLENECK_TEXT_H

#include "bottleneck_rows.h"

/** Visit all sentences to be printed, without a full stop. */
void hp_bottlenecks_say(const struct hp_bottleneck_pool *all,
			void (*visit)(void *context, const char *sentence), void *context);

#endif
