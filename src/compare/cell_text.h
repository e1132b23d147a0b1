/* SPDX-License-Identifier: MIT */
/* A figure as text: before, after, and the change. */
#ifndef HP_CELL_TEXT_H
#define HP_CELL_TEXT_H

#include "comparison.h"
#include "text.h"

/** "1.20 s", "3.0 MB", "1000"; "-" when it is not known. */
void hp_compare_put_value(double value, enum hp_metric_unit unit, struct hp_text *text);

/**
 * "1.20 s → 1.35 s (+12.4 %)". Equal values are written once. A change too small to be seen is written as a
 * difference: "1.0 MB → 1.0 MB (+8 B)". There is no percentage if the old value is 0 or not known.
 */
void hp_compare_put_change(const struct hp_compared_cell *cell, enum hp_metric_unit unit,
			   struct hp_text *text);

/** "+9.8 … +14.9 %"; "-" for a guess, or when there is none. */
void hp_compare_put_interval(const struct hp_ratio *ratio, struct hp_text *text);

/** Whether there are bounds that are no guess. */
bool hp_compare_has_interval(const struct hp_ratio *ratio);

#endif
